/** Reads kubeconfigs that others wrote, and writes ours: from a server, its authority, a client certificate and its key, and nothing else. */
import { Composer, LineCounter, stringify } from 'yaml';
import type { z } from 'zod';
import { ForeignKubeconfig, type KubeconfigParts, kubeconfigLimit } from '#domain/observed/kubeconfig.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { boundedTokens } from './bounded-tokens.ts';
import { canonicalCertificates, canonicalKey } from './pem.ts';

/** `refusal`: what is wrong with it, the part of a sentence that follows its name; it names the key. */
export type ReadKubeconfig = { readonly parts: KubeconfigParts } | { readonly refusal: string };

/** Three entries, and room for comments. */
const limits = { maxTokens: 400, maxDepth: 6 };

/** Never throws; the time it takes grows with the size of the text only. */
export function readKubeconfig(text: string): ReadKubeconfig {
  if (text.length > kubeconfigLimit)
    return { refusal: `has ${text.length} characters, at most ${kubeconfigLimit} are accepted` };
  const plain = plainValue(text);
  if ('refusal' in plain) return plain;
  const read = ForeignKubeconfig.safeParse(plain.value);
  if (!read.success) return { refusal: issueText(read.error.issues) };
  return partsOf(read.data);
}

/** The file. All names in it are `name`. */
export function kubeconfigText(name: string, { server, authority, certificate, key }: KubeconfigParts): string {
  const file = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name, user: { 'client-certificate-data': certificate, 'client-key-data': key } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  return stringify(file, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** One document whose scalars are all texts: no aliases, tags or merge keys, and no key twice. */
function plainValue(text: string): { readonly value: unknown } | { readonly refusal: string } {
  const composer = new Composer({
    schema: 'failsafe',
    merge: false,
    uniqueKeys: true,
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  try {
    const found = [...boundedTokens(text, new LineCounter(), limits)].flatMap((token) => [...composer.next(token)]);
    const [document, ...more] = [...found, ...composer.end()];
    if (document === undefined) return { refusal: 'is empty' };
    if (more.length > 0) return { refusal: 'has more than one document' };
    const [wrong] = [...document.errors, ...document.warnings];
    // Their messages may quote the file, which holds a key.
    if (wrong?.code === 'DUPLICATE_KEY') return { refusal: 'has a key twice' };
    if (wrong !== undefined) return notPlain;
    return { value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    return notPlain;
  }
}

const notPlain = { refusal: 'is not plain YAML of a kubeconfig: no tags, aliases or other texts are accepted' };

function partsOf({ clusters, users, contexts, ...file }: z.infer<typeof ForeignKubeconfig>): ReadKubeconfig {
  const [[cluster], [user], [context]] = [clusters, users, contexts];
  if (cluster === undefined || user === undefined || context === undefined) return { refusal: 'has an empty list' };
  if (context.name !== file['current-context']) return { refusal: 'has a current-context that is not its context' };
  if (context.context.cluster !== cluster.name) return { refusal: 'has a context of another cluster' };
  if (context.context.user !== user.name) return { refusal: 'has a context of another user' };
  const server = canonicalServer(cluster.cluster.server);
  if (server === undefined) return { refusal: 'has a server that is not a host and a port' };
  const authority = canonicalCertificates(cluster.cluster['certificate-authority-data']);
  if (authority === undefined) return { refusal: 'has a certificate-authority-data that holds no certificates' };
  const certificate = canonicalCertificates(user.user['client-certificate-data']);
  if (certificate === undefined) return { refusal: 'has a client-certificate-data that holds no certificate' };
  const key = canonicalKey(user.user['client-key-data'], certificate);
  if (key === undefined) return { refusal: 'has a client-key-data that is not the key of its certificate' };
  return { parts: { server, authority, certificate, key } };
}

/** `https://host:port` as clients understand it; undefined for what else may be in an address. */
export function canonicalServer(server: string): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const url = new URL(server);
  if (url.href !== `https://${url.host}/` || url.port === '0') return undefined;
  return `https://${url.hostname}:${url.port || '443'}`;
}

/** The first of the keys that are not accepted, else the first thing that is wrong: `has users[0].user.exec, which is not accepted`. */
function issueText(issues: readonly z.core.$ZodIssue[]): string {
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys');
  const [issue] = unknown === undefined ? issues : [unknown];
  if (issue === undefined) return 'is not a kubeconfig';
  const place = placeText(issue.path);
  if (issue.code === 'unrecognized_keys')
    return `has ${placeText([...issue.path, issue.keys[0] ?? ''])}, which is not accepted`;
  if (place === '') return 'is not a kubeconfig';
  if (issue.code === 'too_big' && issue.origin === 'array') return `has more than one entry in ${place}`;
  if (issue.code === 'too_small') return `has no entry in ${place}`;
  return `has no ${place} that is accepted`;
}

const placeText = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${printableText(String(part), 60)}`))
    .join('')
    .replace(/^\./, '');
