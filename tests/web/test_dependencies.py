import pytest

from app.web.dependencies import address_share


@pytest.mark.parametrize(
    ("host", "share"),
    [
        ("203.0.113.5", "203.0.113.5"),
        ("::ffff:203.0.113.5", "203.0.113.5"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_one_customer_of_ipv6_is_one_address(host: str, share: str) -> None:
    assert address_share(host) == share
