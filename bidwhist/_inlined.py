"""Functions that are only compiled into others get no machine code of their own.

Numba optimises every function and makes machine code of it before it is linked into those that call it, where all of
that is done again. Here the caller alone does it, in one pass over everything. The answers are the same; a first
compile takes half the time.
"""

from typing import Any, Final

import numba
from numba.core import codegen, compiler

# What is replaced are inner parts of Numba: with versions that were not tried, everything is left as it is.
_TRIED: Final = ((0, 62), (0, 69))


class _NoEngine:
    """Stands in for the engine that runs machine code."""

    @staticmethod
    def set_env(env_name: str, env: Any) -> None:
        """Nothing to set: the library that this one is linked into does it (`set_environments`)."""


class _Library(codegen.JITCodeLibrary):
    """The LLVM code of one function, to be linked into others."""

    @property
    def codegen(self) -> Any:
        return _NoEngine

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0


class _Kernel(codegen.JITCodeLibrary):
    """The code of a function that Python calls, with all that is linked into it."""

    def _optimize_final_module(self) -> None:
        """One pass over everything. Numba runs a cheaper one before, to find counts of references that are needless."""
        make: Any = self._codegen._module_pass_manager
        manager, builder = make()
        manager.run(self._final_module, builder)


class _KernelPipeline(compiler.Compiler):
    def define_pipelines(self) -> Any:
        state = self.state
        library: Any = _Kernel
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()  # type: ignore[no-untyped-call]


class _Pipeline(compiler.Compiler):
    def define_pipelines(self) -> Any:
        state = self.state
        library: Any = _Library
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()  # type: ignore[no-untyped-call]


_IS_TRIED: Final = _TRIED[0] <= tuple(numba.version_info[:2]) <= _TRIED[1]
OPTIONS: Final[dict[str, Any]] = {"pipeline_class": _Pipeline} if _IS_TRIED else {}
"""Options of Numba's `jit` for such a function."""
KERNEL_OPTIONS: Final[dict[str, Any]] = {"pipeline_class": _KernelPipeline} if _IS_TRIED else {}
"""Options of Numba's `jit` for one that Python calls."""


def set_environments(result: Any) -> None:
    """Make known to compiled code the constants of the functions that were compiled into it."""
    for environment in result._find_referenced_environments():
        result.library.codegen.set_env(environment.env_name, environment)


def compile_into_callers(dispatcher: Any, options: dict[str, Any]) -> None:
    """Have a compiled function that others call compiled anew into them, whether it has machine code or not."""
    if OPTIONS:
        njit: Any = numba.njit
        inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options, **OPTIONS)(dispatcher.py_func)
        dispatcher.get_call_template = inner.get_call_template
        dispatcher.get_overload = inner.get_overload
        dispatcher._compiling_counter = inner._compiling_counter  # how a function that calls itself is known
