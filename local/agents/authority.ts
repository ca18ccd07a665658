/**
 * The authority of one machine that agents in its clusters trust, and the certificate that it gives the door of agents: made once, and kept in
 * the directory of the platform. Clusters have the authority in their documents, so it outlasts them; the certificate is renewed in time.
 */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const dayMs = 86_400_000;
const authorityDays = 50 * 365;
const certificateDays = 800;
/** As much is left at least when it is renewed. */
const renewedDays = 400;

export interface DoorCertificate {
  /** PEM. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** What is in the directory, as far as it is good for this address; else it is made. Throws where `openssl` cannot make it. */
export async function doorCertificate(
  directory: string,
  address: string,
  now: Date = new Date(),
): Promise<DoorCertificate> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const authority = (await found(directory, 'authority')) ?? (await makeAuthority(directory, address));
  const kept = await found(directory, 'door');
  if (kept !== undefined && isGood(kept.certificate, authority.certificate, address, now))
    return { ...kept, authority: authority.certificate };
  return { ...(await makeCertificate(directory, address)), authority: authority.certificate };
}

function isGood(certificate: string, authority: string, address: string, now: Date): boolean {
  const [own, by] = [new X509Certificate(certificate), new X509Certificate(authority)];
  const leftDays = (own.validToDate.getTime() - now.getTime()) / dayMs;
  return own.checkIP(address) === address && own.verify(by.publicKey) && leftDays >= renewedDays;
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Undefined when one of the files is missing or damaged. */
async function found(directory: string, name: string): Promise<Pair | undefined> {
  try {
    const certificate = await readFile(join(directory, `${name}.pem`), 'utf8');
    const key = await readFile(join(directory, `${name}.key`), 'utf8');
    return new X509Certificate(certificate).subject && key.includes('PRIVATE KEY') ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

/** It may sign for this address only: who steals its key cannot be anyone else to an agent. */
function makeAuthority(directory: string, address: string): Promise<Pair> {
  const extensions = [
    'basicConstraints=critical,CA:TRUE,pathlen:0',
    'keyUsage=critical,keyCertSign',
    `nameConstraints=critical,permitted;IP:${address}/255.255.255.255`,
    'subjectKeyIdentifier=hash',
  ];
  return make(directory, 'authority', extensions, (file) => ['-days', String(authorityDays), '-key', file('key')]);
}

function makeCertificate(directory: string, address: string): Promise<Pair> {
  const extensions = [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=serverAuth',
    `subjectAltName=IP:${address}`,
  ];
  const by = ['-CA', join(directory, 'authority.pem'), '-CAkey', join(directory, 'authority.key')];
  return make(directory, 'door', extensions, (file) => [
    ...['-days', String(certificateDays), '-key', file('key')],
    ...by,
  ]);
}

/** The key is in its place before its certificate. */
async function make(
  directory: string,
  name: string,
  extensions: readonly string[],
  signed: (file: (ending: string) => string) => readonly string[],
): Promise<Pair> {
  const file = (ending: string): string => join(directory, `${name}.new.${ending}`);
  const lines = [
    '[req]',
    'prompt=no',
    'distinguished_name=name',
    'x509_extensions=extensions',
    '[name]',
    `CN=Kubeloom agents, ${name}`,
    '[extensions]',
    ...extensions,
  ];
  try {
    await writeFile(file('cnf'), `${lines.join('\n')}\n`);
    await writeFile(file('key'), '', { mode: 0o600 });
    const curve = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    await run('openssl', ['genpkey', ...curve, '-out', file('key')]);
    await run('openssl', ['req', '-x509', '-new', '-config', file('cnf'), ...signed(file), '-out', file('pem')]);
    for (const ending of ['key', 'pem']) await rename(file(ending), join(directory, `${name}.${ending}`));
  } finally {
    for (const ending of ['cnf', 'key', 'pem']) await rm(file(ending), { force: true });
  }
  const pair = await found(directory, name);
  if (pair === undefined) throw new Error(`openssl made no ${name} for agents in ${directory}`);
  return pair;
}
