/** X.509 certificates (RFC 5280), created and signed here: no external program needs to be installed. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  name: string;
  /** PEM. */
  certificate: string;
  /** PEM. */
  key: string;
  privateKey: KeyObject;
}

export interface CertificateOptions {
  /** Hosts of the certificate; an authority's certificate if omitted. */
  hosts?: readonly string[];
  from?: Date;
  until?: Date;
}

/** Signed by the authority; self-signed if omitted. */
export function makeCertificate(name: string, authority?: Certificate, options: CertificateOptions = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { hosts, from = yearsFromNow(-1), until = yearsFromNow(1) } = options;
  const signed = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(authority?.name ?? name),
    sequence(time(from), time(until)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(hosts === undefined ? isAuthority : subjectAltName(hosts))),
  );
  const signature = sign('sha256', signed, authority?.privateKey ?? privateKey);
  const der = sequence(signed, ecdsaWithSha256, bitString(signature));
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    name,
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    privateKey,
  };
}

export function yearsFromNow(years: number): Date {
  return new Date(Date.now() + years * 365 * 24 * 60 * 60 * 1000);
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts));
const integer = (bytes: Buffer) => tagged(0x02, bytes);
const octets = (content: Buffer) => tagged(0x04, content);
const bitString = (content: Buffer) => tagged(0x03, Buffer.concat([Buffer.from([0]), content]));
const identifier = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));

/** A name with a single common name. */
function nameOf(text: string): Buffer {
  const commonName = sequence(identifier('550403'), tagged(0x0c, Buffer.from(text)));
  return sequence(tagged(0x31, commonName));
}

/** GeneralizedTime, to the second. */
function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
}

/** basicConstraints, critical: cA. */
const isAuthority = sequence(
  identifier('551d13'),
  tagged(0x01, Buffer.from([0xff])),
  octets(sequence(tagged(0x01, Buffer.from([0xff])))),
);

function subjectAltName(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host)),
  );
  return sequence(identifier('551d11'), octets(sequence(...names)));
}
