/** A reference to secret fields as one line of text: what states, plans and waypoints hold of it. Never a value. */

interface StoredSecret {
  readonly kind: 'stored';
  /** `<namespace>/<name>` */
  readonly name: string;
}

export interface VaultSecret {
  readonly kind: 'vault';
  /** `<namespace>/<name>` of the Secret with the connection. */
  readonly connection: string;
  readonly mount: string;
  readonly path: string;
  readonly kvVersion?: 1 | 2;
  /** Field that is wanted → key that the secret has. */
  readonly keys: Readonly<Record<string, string>>;
}

export type SecretLocator = StoredSecret | VaultSecret;

/** `team/aws`, or `vault://<namespace>/<connection>/<mount>/<path>?kv=2&accesskey=AccessKeyId`. */
export function locatorText(locator: SecretLocator): string {
  if (locator.kind === 'stored') return locator.name;
  const { connection, mount, path, kvVersion, keys } = locator;
  const kept = Object.entries(keys).sort(([one], [other]) => (one < other ? -1 : 1));
  const settings = [...(kvVersion === undefined ? [] : [['kv', String(kvVersion)]]), ...kept.map(asKey)];
  const query = settings.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  const place = `vault://${connection}/${encodeURIComponent(mount)}/${path}`;
  return query === '' ? place : `${place}?${query}`;
}

/** Reads what `locatorText` wrote; undefined for any other text. */
export function parseLocator(text: string): SecretLocator | undefined {
  if (!text.startsWith('vault://')) return /^[^/]+\/[^/]+$/.test(text) ? { kind: 'stored', name: text } : undefined;
  const [, connection, mount, path, query] =
    /^vault:\/\/([^/?]+\/[^/?]+)\/([^/?]+)\/([^?]+)(?:\?(.*))?$/.exec(text) ?? [];
  if (connection === undefined || mount === undefined || path === undefined) return undefined;
  const pairs = (query ?? '').split('&').filter(Boolean);
  const settings = pairs.map((pair) => pair.split('=').map(decodeURIComponent));
  const keys = settings.flatMap(([name = '', key = '']) => (name.startsWith('key.') ? [[name.slice(4), key]] : []));
  const stated = settings.find(([name]) => name === 'kv')?.[1];
  return {
    kind: 'vault',
    connection,
    mount: decodeURIComponent(mount),
    path,
    keys: Object.fromEntries(keys),
    ...(stated === undefined ? {} : { kvVersion: stated === '1' ? 1 : 2 }),
  };
}

/** For messages: `Secret team/aws`, or `Vault secret secret/clouds/aws (connection team/vault)`. */
export function locatorTitle(text: string): string {
  const locator = parseLocator(text);
  if (locator?.kind !== 'vault') return `Secret ${text}`;
  return `Vault secret ${locator.mount}/${locator.path} (connection ${locator.connection})`;
}

function asKey([field, key]: [string, string]): readonly string[] {
  return [`key.${field}`, key];
}
