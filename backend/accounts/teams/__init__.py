"""Teams and their people: membership, invitations, operators, what deletion takes along."""
