// Says in the WebAssembly file itself which build it is: a custom section "attnlab" right after
// the header, which the library reads before it starts the module (web/lib/load_module.ts).

function leb128(value) {
  const bytes = [];
  do {
    const rest = value >>> 7;
    bytes.push((value & 0x7f) | (rest > 0 ? 0x80 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

export function stampWasm(wasm, stamp) {
  const name = new TextEncoder().encode('attnlab');
  const text = new TextEncoder().encode(JSON.stringify(stamp));
  const content = [...leb128(name.length), ...name, ...text];
  const section = [0, ...leb128(content.length), ...content];
  return Buffer.concat([wasm.subarray(0, 8), Buffer.from(section), wasm.subarray(8)]);
}
