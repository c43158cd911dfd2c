"""The page of the service: static files without a build step."""

from compiled_plan.service.page.serving import FOLDER, add_page

__all__ = ["FOLDER", "add_page"]
