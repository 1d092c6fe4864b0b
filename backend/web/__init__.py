"""What every REST API shares: views, bodies, fields, permissions, errors as the contract words them."""
