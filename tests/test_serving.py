"""The socket that the site listens at; tests/test_serve.py runs the whole command."""

import socket

from app.serving import listen


def test_connections_send_the_end_of_a_page_at_once() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
