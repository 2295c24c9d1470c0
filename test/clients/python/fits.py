"""Compares an adapter with the kept signatures of the class that it extends, whose package is not there."""

import importlib.util
import inspect
import os
import sys
import types

MEMBERS = (types.FunctionType, property, classmethod, staticmethod)
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bases")


def base(name):
    """Loads the signatures of a framework, and puts them where an adapter imports the framework from."""
    spec = importlib.util.spec_from_file_location(f"bases_{name}", os.path.join(HERE, f"{name}.py"))
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    for path, members in found.MODULES.items():
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(".".join(parts[:end])))
        for member, value in members.items():
            setattr(sys.modules[path], member, value)
    return found


def faults(made):
    """Lists differences. An adapter without any can be used in the place of its base."""
    found = [f"{name} is missing" for name in sorted(made.__abstractmethods__)]
    for kept in made.__mro__[1:]:
        if kept.__module__.startswith("bases_"):
            for name, wanted in vars(kept).items():
                if name in vars(made) and isinstance(wanted, MEMBERS) and not name.startswith("__"):
                    found += [f"{name}: {fault}" for fault in differences(wanted, vars(made)[name])]
    return found


def differences(wanted, given):
    if type(wanted) is not type(given):
        return [f"it is a {type(given).__name__} and not a {type(wanted).__name__}"]
    if isinstance(wanted, property):
        return []
    wanted, given = (getattr(each, "__func__", each) for each in (wanted, given))
    found = []
    if inspect.iscoroutinefunction(wanted) != inspect.iscoroutinefunction(given):
        found.append("one of them is async")
    of_base, of_adapter = (list(inspect.signature(each).parameters.values()) for each in (wanted, given))
    names = {each.name: each for each in of_adapter}
    for each in of_base:
        other = names.get(each.name)
        if other is None or other.kind != each.kind:
            found.append(f"the argument {each.name} is missing, or passed in another way")
        elif other.default != each.default:
            found.append(f"the default of {each.name} is {other.default!r} and not {each.default!r}")
    positional = [each.name for each in of_base if each.kind is each.POSITIONAL_OR_KEYWORD]
    if positional != [each.name for each in of_adapter if each.kind is each.POSITIONAL_OR_KEYWORD][: len(positional)]:
        found.append("the arguments are in another order")
    extra = [each for each in of_adapter if each.name not in {other.name for other in of_base}]
    return found + [f"{each.name} has no default" for each in extra if each.default is each.empty and each.kind < 2]
