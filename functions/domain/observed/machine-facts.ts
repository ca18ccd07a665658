/**
 * What the scripts of `templates/ansible/files` report of a machine: lines `fact: KEY=JSON`. A machine that was taken over prints what it
 * likes, so each key is known and has a closed type, and is there once. Pure.
 */
import { z } from 'zod';
import { certificateFiles } from '../expiry.ts';
import { parseJson } from '../json.ts';
import { BootId, closedText, MachineName, observedWords, PortNumber, WireguardKey } from './closed-texts.ts';
import { printableText } from './printable-text.ts';

/** Networks of one peer, as `wg show` prints them. */
const AllowedAddresses = closedText(1000, /^(?:[0-9a-f.:/ ]+|\(none\))$/);

const words = observedWords(300);

/** Seconds since 1970, until the end of the year 9999. */
const UnixSeconds = z.number().int().check(z.gte(0), z.lte(253_402_300_799));

/** One of RSA has some 2 KB, and a chain a few of them. */
const Certificate = closedText(20_000, /^[A-Za-z0-9+/]+={0,2}$/);

/** Where proxy settings are: apt, the variables of services and of logins, and the units of three services. */
const ProxyPart = z.enum(['apt', 'variables', 'environment', 'kubelet', 'containerd', 'docker']);

export const MachineFacts = z.strictObject({
  wireguardPublicKey: WireguardKey.optional(),
  wireguardPort: PortNumber.optional(),
  bootId: BootId.optional(),
  /** What its clock said when `prepare.yml` began and ended on it. */
  clock: z.strictObject({ from: UnixSeconds, to: UnixSeconds }).optional(),
  /** Which peers answer, of `verify.sh`. */
  mesh: z.record(MachineName, z.boolean()).optional(),
  /** Addresses of WireGuard peers that do not belong to the cluster, of `verify.sh`. */
  surplus: z.array(AllowedAddresses).max(2000).optional(),
  /** Which parts of the proxy settings differ, of `verify-proxy.sh`. */
  proxy: z.array(ProxyPart).max(6).optional(),
  /** What differs from the roles of a load balancer, of `verify-balancer.sh`. */
  roles: z.array(words).max(20).optional(),
  /** What the health checks of the group found, of `health.sh`; null: not known. */
  health: z
    .array(z.strictObject({ ok: z.boolean().nullable(), why: words.optional() }))
    .max(200)
    .optional(),
  /** When a machine with health checks was set up, or got another boot script. */
  setUpAt: z.iso.datetime().optional(),
  /** Certificates of Kubernetes by their files, PEM in base64, of `certificates.sh`. */
  certificates: z.partialRecord(z.enum(certificateFiles.control), Certificate).optional(),
  /** A renewal of them was interrupted, of `certificates.sh`. */
  renewing: z.boolean().optional(),
});
export type MachineFacts = z.infer<typeof MachineFacts>;

/** The facts, or the first thing that is wrong with them, as the end of a sentence about the machine. */
export type ReadFacts =
  | { readonly facts: MachineFacts; readonly problem?: undefined }
  | { readonly facts?: undefined; readonly problem: string };

/** Addresses of all peers of the largest cluster fit into one line. */
const longestLine = 500_000;
const mostLines = 50;

/** Reads the lines of one visit without the word in front of them: `KEY=JSON`. */
export function readMachineFacts(lines: readonly string[]): ReadFacts {
  if (lines.length > mostLines) return { problem: `it reports more than ${mostLines} facts` };
  const found = new Map<string, unknown>();
  for (const line of lines) {
    const at = line.indexOf('=');
    const key = at < 0 ? line : line.slice(0, at);
    if (!Object.hasOwn(MachineFacts.shape, key)) return { problem: `it reports an unknown fact: ${shown(key)}` };
    if (found.has(key)) return { problem: `it reports the fact ${key} twice` };
    if (line.length > longestLine) return { problem: `its fact ${key} has more than ${longestLine} characters` };
    const value = parseJson(line.slice(at + 1));
    const read = MachineFacts.shape[key as keyof MachineFacts].safeParse(value);
    if (!read.success || read.data === undefined)
      return { problem: `its fact ${key} is not what our scripts report: ${shown(line.slice(at + 1))}` };
    found.set(key, read.data);
  }
  return { facts: Object.fromEntries(found) };
}

/** The facts among the lines of a script, for `readMachineFacts`. */
export function factLines(output: readonly string[]): readonly string[] {
  return output.flatMap((line) => (line.startsWith(factWord) ? [line.slice(factWord.length).trimEnd()] : []));
}

const factWord = 'fact: ';

/** An answer of a machine in a sentence: cut, escaped, and in one line. */
function shown(text: string): string {
  return `"${printableText(text, 120).replaceAll('\n', '\\n')}"`;
}
