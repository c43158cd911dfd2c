"""Program texts and files to plans, previews and completions, for the commands and the service."""
