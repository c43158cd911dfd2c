"""How each plan node runs. Importing the package registers all of them: every module here, whatever its name."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
