"""The server over a store, and the life of its process. Starlette and uvicorn are loaded here alone."""
