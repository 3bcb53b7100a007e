// Writes ONNX: the few protobuf messages that a graph of operators and constant tensors needs.
// @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto for the field numbers

/** The numbers of TensorProto.DataType. */
export const FLOAT = 1;
export const INT8 = 3;
export const INT64 = 7;

type Attribute = number | readonly number[] | { float: number };

export interface Node {
  operator: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes?: Readonly<Record<string, Attribute>>;
}

export interface Tensor {
  name: string;
  type: number;
  shape: readonly number[];
  data: Float32Array | Int8Array | Int32Array | BigInt64Array;
}

/** An input or output; a text stands for a length that is known at run time. */
interface Value {
  name: string;
  type: number;
  shape: readonly (number | string)[];
}

export interface Graph {
  name: string;
  nodes: readonly Node[];
  constants: readonly Tensor[];
  inputs: readonly Value[];
  outputs: readonly Value[];
}

const IR_VERSION = 9;
const OPERATOR_SET = 20;

/** The bytes of an .onnx file: the same graph gives the same bytes. */
export function writeOnnx(graph: Graph): Buffer {
  return message(
    integer(1, IR_VERSION),
    text(2, "gateway"),
    bytes(7, writeGraph(graph)),
    bytes(8, message(text(1, ""), integer(2, OPERATOR_SET))),
  );
}

function writeGraph(graph: Graph): Buffer {
  return message(
    ...graph.nodes.map((node) => bytes(1, writeNode(node))),
    text(2, graph.name),
    ...graph.constants.map((constant) => bytes(5, writeTensor(constant))),
    ...graph.inputs.map((value) => bytes(11, writeValue(value))),
    ...graph.outputs.map((value) => bytes(12, writeValue(value))),
  );
}

function writeNode(node: Node): Buffer {
  return message(
    ...node.inputs.map((name) => text(1, name)),
    ...node.outputs.map((name) => text(2, name)),
    text(3, node.outputs[0] ?? ""),
    text(4, node.operator),
    ...Object.entries(node.attributes ?? {}).map(([name, value]) =>
      bytes(5, writeAttribute(name, value)),
    ),
  );
}

function writeAttribute(name: string, value: Attribute): Buffer {
  if (typeof value === "number") return message(text(1, name), integer(3, value), integer(20, 2));
  if ("float" in value) {
    const float = Buffer.alloc(5);
    float.writeUInt8((2 << 3) | 5, 0);
    float.writeFloatLE(value.float, 1);
    return message(text(1, name), float, integer(20, 1));
  }
  return message(text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7));
}

function writeTensor({ name, type, shape, data }: Tensor): Buffer {
  return message(
    ...shape.map((length) => integer(1, length)),
    integer(2, type),
    text(8, name),
    bytes(9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  );
}

function writeValue({ name, type, shape }: Value): Buffer {
  const lengths = shape.map((length) =>
    bytes(1, typeof length === "number" ? integer(1, length) : text(2, length)),
  );
  const tensorType = message(integer(1, type), bytes(2, message(...lengths)));
  return message(text(1, name), bytes(2, bytes(1, tensorType)));
}

function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function integer(field: number, value: number): Buffer {
  // Negative numbers are ten bytes of two's complement.
  return Buffer.concat([varint(BigInt(field << 3)), varint(BigInt.asUintN(64, BigInt(value)))]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(value.length)), value]);
}

function varint(value: bigint): Buffer {
  const result: number[] = [];
  for (; value > 127n; value >>= 7n) result.push(Number(value & 127n) | 128);
  result.push(Number(value));
  return Buffer.from(result);
}
