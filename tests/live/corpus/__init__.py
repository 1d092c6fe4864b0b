"""Later versions go on from what older ones left."""
