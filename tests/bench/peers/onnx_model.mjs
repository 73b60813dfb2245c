// ONNX models as bytes: the few fields of the format (onnx.proto) that small graphs need.

function varint(number) {
  const bytes = [];
  let rest = number;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

const whole = (field, value) => [...varint(field * 8), ...varint(value)];
const single = (field, value) => [
  ...varint(field * 8 + 5),
  ...new Uint8Array(Float32Array.of(value).buffer),
];
const block = (field, bytes) => [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
const text = (field, value) => block(field, [...new TextEncoder().encode(value)]);

const FLOAT = 1;

function attribute([name, value]) {
  // Whole numbers are INT, the rest FLOAT; [value] is a float that happens to be whole.
  const isWhole = Number.isInteger(value);
  const content = isWhole ? whole(3, value) : single(2, [value].flat()[0]);
  return [...text(1, name), ...content, ...whole(20, isWhole ? 2 : 1)];
}

function node({ type, inputs, outputs, attributes = {}, domain }) {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...outputs.flatMap((name) => text(2, name)),
    ...text(4, type),
    ...Object.entries(attributes).flatMap((entry) => block(5, attribute(entry))),
    ...(domain ? text(7, domain) : []),
  ];
}

function port([name, shape]) {
  const dimensions = shape.flatMap((size) => block(1, whole(1, size)));
  const tensor = [...whole(1, FLOAT), ...block(2, dimensions)];
  return [...text(1, name), ...block(2, block(1, tensor))];
}

function constant([name, value]) {
  const raw = [...new Uint8Array(Float32Array.of(value).buffer)];
  return [...whole(2, FLOAT), ...text(8, name), ...block(9, raw)];
}

// inputs, outputs: { name: shape }; constants: { name: a number }; nodes in the order of work.
export function onnxModel({ nodes, inputs, outputs, constants = {} }) {
  const graph = [
    ...nodes.flatMap((each) => block(1, node(each))),
    ...text(2, 'graph'),
    ...Object.entries(constants).flatMap((each) => block(5, constant(each))),
    ...Object.entries(inputs).flatMap((each) => block(11, port(each))),
    ...Object.entries(outputs).flatMap((each) => block(12, port(each))),
  ];
  const imports = [
    ['', 17],
    ['com.microsoft', 1],
  ].flatMap(([domain, version]) => block(8, [...text(1, domain), ...whole(2, version)]));
  return new Uint8Array([...whole(1, 8), ...block(7, graph), ...imports]);
}
