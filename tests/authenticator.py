"""An authenticator in software: makes passkeys and answers with them as a browser would, rightly or wrongly."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


class Authenticator:
    """One device with one passkey. `verifies` = whether it asks for a finger or a PIN."""

    def __init__(self, verifies: bool = True) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(32)
        self.handle = b""
        self._flags = PRESENT | (VERIFIED if verifies else 0)

    def create(self, options: dict[str, Any], origin: str = "http://localhost") -> dict[str, Any]:
        """The answer to a request for a passkey."""
        request = options["publicKey"]
        self.handle = websafe_decode(request["user"]["id"])
        public = ES256.from_cryptography_key(self.key.public_key())  # type: ignore[no-untyped-call]  # fido2 has no types there
        created = AttestedCredentialData.create(b"\0" * 16, self.id, public)
        rp = hashlib.sha256(request["rp"]["id"].encode()).digest()
        data = AuthenticatorData.create(rp, AuthenticatorData.FLAG(self._flags | ATTESTED), 0, created)
        client = self._client("webauthn.create", request["challenge"], origin)
        shown = AttestationObject.create("none", data, {})
        response = {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(bytes(shown))}
        return self._answer(response) | {"clientExtensionResults": {"credProps": {"rk": True}}}

    def get(self, options: dict[str, Any], origin: str = "http://localhost", **wrong: Any) -> dict[str, Any]:
        """The answer to a sign-in. `wrong` = {rp, handle, challenge, key} that are not what they should be."""
        request = options["publicKey"]
        rp = hashlib.sha256(str(wrong.get("rp", request["rpId"])).encode()).digest()
        data = AuthenticatorData.create(rp, AuthenticatorData.FLAG(self._flags), 1)
        client = self._client("webauthn.get", wrong.get("challenge", request["challenge"]), origin)
        key: ec.EllipticCurvePrivateKey = wrong.get("key", self.key)
        signature = key.sign(bytes(data) + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": websafe_encode(client),
            "authenticatorData": websafe_encode(bytes(data)),
            "signature": websafe_encode(signature),
            "userHandle": websafe_encode(wrong.get("handle", self.handle)),
        }
        return self._answer(response)

    def _client(self, kind: str, challenge: str, origin: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": False}).encode()

    def _answer(self, response: dict[str, str]) -> dict[str, Any]:
        name = websafe_encode(self.id)
        return {"id": name, "rawId": name, "type": "public-key", "response": response, "clientExtensionResults": {}}
