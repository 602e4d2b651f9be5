"""What stands on the screen: settings become a result, a result becomes words and figures."""
