# Two images: `web` holds the database and the keys of items but no torch, `sandbox` holds torch and no secrets.
#   docker build --target web -t gradproof-web .
#   docker build --target sandbox -t gradproof-sandbox --build-arg TORCH_INDEX=<a pip index with CPU builds> .

FROM python:3.11-slim AS build
WORKDIR /src
RUN pip install --no-cache-dir build
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY app app
COPY templates templates
COPY static static
COPY migrations migrations
COPY question_bank question_bank
RUN python -m build --wheel --outdir /wheels

FROM python:3.11-slim AS web
COPY constraints.txt /tmp/
COPY --from=build /wheels /wheels
# Everything but torch and numpy, which the web process never imports.
RUN pip install --no-cache-dir --no-deps /wheels/*.whl \
 && python -c "import importlib.metadata as m; print('\n'.join(r for r in m.requires('gradproof') if 'extra ==' not in r and not r.startswith(('torch', 'numpy'))))" > /tmp/web.txt \
 && pip install --no-cache-dir -c /tmp/constraints.txt -r /tmp/web.txt \
 && useradd --uid 10001 --create-home gradproof \
 && install -d -o gradproof -m 0700 /var/lib/gradproof
USER gradproof
WORKDIR /var/lib/gradproof
ENV GRADPROOF_VAR=/var/lib/gradproof GRADPROOF_HOST=0.0.0.0
EXPOSE 8000
CMD ["gradproof", "serve"]

FROM python:3.11-slim AS sandbox
ARG TORCH_INDEX=""
COPY constraints.txt /tmp/
RUN pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} "$(grep '^torch==' /tmp/constraints.txt)" \
 && pip install --no-cache-dir -c /tmp/constraints.txt numpy starlette uvicorn \
 && useradd --uid 10002 --no-create-home gradproof
# Only the room that runs code: no bank, no web, no database code, no settings.
COPY app/__init__.py /opt/gradproof/app/
COPY app/sandbox /opt/gradproof/app/sandbox
COPY app/probe /opt/gradproof/app/probe
ENV PYTHONPATH=/opt/gradproof
USER gradproof
EXPOSE 8001
CMD ["python", "-m", "app.sandbox.service", "--host", "0.0.0.0", "--port", "8001"]
