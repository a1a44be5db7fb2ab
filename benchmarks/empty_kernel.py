"""The floor: a stock ipykernel kernel whose cells do nothing."""

from __future__ import annotations

from typing import Any

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class EmptyKernel(Kernel):  # type: ignore[misc]
    implementation = "empty"
    implementation_version = "1"
    banner = "empty"
    language_info = {"name": "empty", "mimetype": "text/plain", "file_extension": ".txt"}  # noqa: RUF012

    async def do_execute(self, code: str, silent: bool, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=EmptyKernel)
