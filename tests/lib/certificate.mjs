// A self-signed certificate for 127.0.0.1 and localhost, made here: X.509 (RFC 5280) in DER.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

function der(tag, ...contents) {
  const content = Buffer.concat(contents.map((each) => Buffer.from(each)));
  const { length } = content;
  const long = length > 255 ? [0x82, length >> 8, length & 255] : [0x81, length];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

const sequence = (...contents) => der(0x30, ...contents);
const text = (value) => der(0x0c, Buffer.from(value));
const bits = (value) => der(0x03, [0], value);
// Object identifiers, encoded.
const [ecdsaWithSha256, commonName, subjectAltName, basicConstraints] = [
  [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  [0x55, 0x04, 0x03],
  [0x55, 0x1d, 0x11],
  [0x55, 0x1d, 0x13],
].map((bytes) => der(0x06, bytes));

function utcTime(date) {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

const day = 86_400_000;
const pem = (label, bytes) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`;

// → { key, certificate } as PEM, valid for a day.
export function selfSigned() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(commonName, text('attnlab test'))));
  const now = Date.now();
  const alternatives = sequence(der(0x82, Buffer.from('localhost')), der(0x87, [127, 0, 0, 1]));
  const extensions = sequence(
    sequence(subjectAltName, der(0x04, alternatives)),
    // It vouches for itself: an authority.
    sequence(basicConstraints, der(0x01, [0xff]), der(0x04, sequence(der(0x01, [0xff])))),
  );
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1], randomBytes(8)),
    sequence(ecdsaWithSha256),
    name,
    sequence(utcTime(new Date(now - day)), utcTime(new Date(now + day))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, sequence(ecdsaWithSha256), bits(signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: pem('CERTIFICATE', whole),
  };
}
