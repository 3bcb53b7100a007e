// The filter's reader of forms, compared with that of fetch (undici).
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { startPart } from "../lab.ts";

interface FormExports {
  memory: WebAssembly.Memory;
  allocate(length: number): number;
  free(pointer: number): void;
  read(type: number, typeLength: number, body: number, length: number): number;
  start(field: number): number;
  end(field: number): number;
}

let wasm: FormExports;
beforeAll(async () => {
  wasm = await startPart<FormExports>("form");
});

function place(bytes: Uint8Array): number {
  const pointer = wasm.allocate(bytes.length);
  new Uint8Array(wasm.memory.buffer).set(bytes, pointer);
  return pointer;
}

/** The values of the fields named `model`; undefined if the body is rejected. */
function models(contentType: string, body: Uint8Array): string[] | undefined {
  const typeBytes = new TextEncoder().encode(contentType);
  const type = place(typeBytes);
  const pointer = place(body);
  const count = wasm.read(type, typeBytes.length, pointer, body.length);
  const found = Array.from({ length: Math.max(count, 0) }, (_, at) =>
    new TextDecoder().decode(body.subarray(wasm.start(at), wasm.end(at))),
  );
  wasm.free(type);
  wasm.free(pointer);
  return count < 0 ? undefined : found;
}

/** What fetch reads; undefined if it rejects the body. */
async function reference(contentType: string, body: Uint8Array): Promise<string[] | undefined> {
  try {
    const headers = { "content-type": contentType };
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- slow for servers, right for a comparison
    const form = await new Response(new Uint8Array(body), { headers }).formData();
    const values = form.getAll("model");
    return await Promise.all(
      values.map(async (value) => (typeof value === "string" ? value : await value.text())),
    );
  } catch {
    return undefined;
  }
}

const name = fc.constantFrom("model", "Model", "models", "file", "mo", 'mod"el', "prompt");
/** Browsers do not escape a backslash, and RFC 2183 reads one as an escape. */
const fileName = fc.string().map((text) => text.replaceAll("\\", ""));
const part = fc.oneof(
  fc.record({ name, text: fc.string() }),
  fc.record({ name, file: fc.uint8Array({ maxLength: 200 }), fileName }),
);

async function encode(
  parts: readonly (
    { name: string; text: string } | { name: string; file: Uint8Array; fileName: string }
  )[],
): Promise<{ type: string; body: Uint8Array }> {
  const form = new FormData();
  for (const one of parts) {
    if ("text" in one) form.append(one.name, one.text);
    else form.append(one.name, new Blob([new Uint8Array(one.file)]), one.fileName);
  }
  const response = new Response(form);
  const type = response.headers.get("content-type") ?? "";
  return { type, body: new Uint8Array(await response.arrayBuffer()) };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text.replaceAll("\n", "\r\n"));
const FORM = "multipart/form-data; boundary=X";
const field = (head: string, value = "a"): Uint8Array => bytes(`--X\n${head}\n\n${value}\n--X--\n`);

describe("a form", () => {
  it("a form has the fields that fetch reads in it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const { type, body } = await encode(parts);
        // An empty form of fetch is its last line alone.
        expect(models(type, body)).toEqual(await reference(type, body));
      }),
      { numRuns: 150 },
    );
  });

  it("a form is read as fetch reads it, or rejected, when bytes of it are damaged", async () => {
    const damage = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(6),
      text: fc.constantFrom(
        "",
        "\r\n",
        "--",
        '"',
        "\\",
        ";",
        "=",
        " ",
        "\n",
        "\r\n--X",
        'name="model"',
        "*",
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(part, fc.constant({ name: "model", text: "gpt-4o" })), { maxLength: 4 }),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        async (parts, damages) => {
          const { type, body } = await encode(parts);
          let text = Buffer.from(body)
            .toString("latin1")
            .replaceAll(/-+formdata-undici-\d+/g, "--X");
          for (const { at, length, text: insert } of damages) {
            const start = Math.floor(at * text.length);
            text = text.slice(0, start) + insert + text.slice(start + length);
          }
          const damaged = new Uint8Array(Buffer.from(text, "latin1"));
          const found = models(FORM, damaged);
          const expected = await reference(FORM, damaged);
          if (found !== undefined && expected !== undefined) expect(found).toEqual(expected);
          expect(type).toContain("boundary=");
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ["quoted", field('Content-Disposition: form-data; name="model"')],
    ["not quoted", field("content-disposition:form-data;name=model")],
    ["behind a file name", field('Content-Disposition: form-data; filename="a;b=c"; name="model"')],
    [
      "behind another header",
      field('Content-Type: text/plain\nContent-Disposition: form-data; name="model"'),
    ],
  ])("a form is found with its name %s", (_, body) => {
    expect(models(FORM, body)).toEqual(["a"]);
  });

  it.each([
    'multipart/form-data; boundary="X"',
    "multipart/form-data;boundary=X",
    "multipart/form-data; Boundary=X; charset=utf-8",
    'multipart/form-data; charset="utf-8"; boundary=X',
  ])("a form is found with the content type %s", (type) => {
    expect(models(type, field('Content-Disposition: form-data; name="model"'))).toEqual(["a"]);
  });

  it.each(["----WebKitFormBoundary7MA4YWxk", "axios-1.7.2-boundary-AbC", "===============7=="])(
    "a form is found with the boundary %s",
    (boundary) => {
      const body = bytes(
        `--${boundary}\nContent-Disposition: form-data; name="model"\n\na\n--${boundary}--\n`,
      );
      expect(models(`multipart/form-data; boundary="${boundary}"`, body)).toEqual(["a"]);
      expect(models(`multipart/form-data; boundary=${boundary}`, body)).toEqual(["a"]);
    },
  );

  it.each([
    "; boundary=X; boundary=Y",
    "; boundary=X; Boundary=Y",
    "; boundary=X; boundary =Y",
    "; boundary=X; boundary*=utf-8''Y",
    "; boundary=X; boundary*0=Y",
    '; x="; boundary=X; y="; boundary=Y',
    '; boundary="X; boundary=Y"',
    "; boundary=X; xboundary=Y",
    "; xboundary=X",
    "; boundary =X",
    "; boundary=X, multipart/form-data; boundary=Y",
    "; boundary=X,Y",
    "; boundary=X\tY",
    '; boundary="X\\"',
    '; boundary="X ',
    '; boundary="X',
    '; boundary=X"',
  ])("a form is rejected with the content type multipart/form-data%s", (parameters) => {
    const body = field('Content-Disposition: form-data; name="model"');
    expect(models(`multipart/form-data${parameters}`, body)).toBeUndefined();
  });

  it.each([
    ["no boundary", "multipart/form-data", field('Content-Disposition: form-data; name="model"')],
    ["an empty boundary", "multipart/form-data; boundary=", new Uint8Array()],
    ["another boundary", "multipart/form-data; boundary=Y", field("a: b")],
    ["no body", FORM, new Uint8Array()],
    ["no last line", FORM, bytes('--X\nContent-Disposition: form-data; name="model"\n\na\n--X')],
    ["a part without a name", FORM, field("Content-Disposition: form-data")],
    ["a part without a disposition", FORM, field("Content-Type: text/plain")],
    ["two names", FORM, field('Content-Disposition: form-data; name="a"; name="model"')],
    ["an extended name", FORM, field("Content-Disposition: form-data; name*=utf-8''model")],
    ["an escaped name", FORM, field('Content-Disposition: form-data; name="mod\\el"')],
    [
      "an escaped quote",
      FORM,
      field('Content-Disposition: form-data; name="a"; filename="\\";name=\\"model"'),
    ],
    ["a name that does not end", FORM, field('Content-Disposition: form-data; name="model')],
    [
      "two dispositions",
      FORM,
      field(
        'Content-Disposition: form-data; name="a"\nContent-Disposition: form-data; name="model"',
      ),
    ],
    ["a continued line", FORM, field('Content-Disposition: form-data;\n name="model"')],
    [
      "text before it",
      FORM,
      bytes('hi\n--X\nContent-Disposition: form-data; name="model"\n\na\n--X--'),
    ],
    [
      "line feeds alone",
      FORM,
      new TextEncoder().encode('--X\nContent-Disposition: form-data; name="model"\n\na\n--X--'),
    ],
  ])("a form is rejected with %s", (_, type, body) => {
    expect(models(type, body)).toBeUndefined();
  });
});
