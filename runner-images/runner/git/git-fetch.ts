/** Git with strict limits: some files at one commit over https, from a checked address, bounded in size, memory and time. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { isPrivateAddress } from '#adapters/public-https.ts';
import type { TemplateVersion } from '#domain/template-version.ts';
import type { RepositoryDocument } from '#functions/ports.ts';
import { type CommandResult, complaintsOnly, lastLine } from '../process.ts';
import type { RunnerConfig } from '../runner-config.ts';
import type { SecretReader } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { repositoryLogin } from './git-login.ts';

export type GitSurroundings = Pick<SecretReader, 'ports' | 'mask' | 'run' | 'runner' | 'workDirectory'>;

/** Limits of each file that git writes, packs included, and of its memory: a tree of few objects can unfold to any number of files. */
const limits = [`--fsize=${200_000_000}`, `--as=${1_000_000_000}`];
const fetchMs = 120_000;

/** Who wants the files, for logins and messages. */
export interface FetchSubject {
  /** As in `The templates of provider hz cannot be fetched`. */
  readonly title: string;
  /** Name of the provider instance or GitSource. */
  readonly name: string;
  /** The document that names the repository. */
  readonly document: RepositoryDocument;
  /** `locatorText` of the Secret with the token. @default the repository is public */
  readonly secret?: string | undefined;
}

export interface Fetching {
  readonly version: Pick<TemplateVersion, 'url' | 'commit'>;
  /** What is wanted of the repository, as in a .gitignore. */
  readonly patterns: readonly string[];
  /** Sees the names in the commit before their contents are fetched; what it throws ends the fetch. @default nothing is asked */
  readonly inspect?: (git: Git) => Promise<void>;
  /** The directory for it, which is empty. */
  readonly directory: string;
}

/** Returns the output. Throws `StageFailure`. */
export type Git = (...args: readonly string[]) => Promise<string>;

/** Throws `StageFailure`. */
export async function fetchFiles(
  context: GitSurroundings,
  subject: FetchSubject,
  { version, patterns, inspect, directory }: Fetching,
): Promise<void> {
  const addresses = await judgedAddresses(context, subject, version);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const environment = await gitEnvironment(context, subject, { url: version.url, addresses, home: directory });
  const git: Git = async (...args) => {
    const command = { label: `git ${args[0]}`, program: 'prlimit', environment };
    const words = [...limits, '--', 'git', '-C', directory, ...args];
    const result = await context.run({ ...command, args: words, onLine: complaintsOnly, totalMs: fetchMs });
    if (result.code !== 0) throw gitFailure(subject, version, result);
    // Half a list of files would look like files that are gone.
    if (result.cut) throw gitFailure(subject, version, { ...result, stderr: `the list of git ${args[0]} is too long` });
    return result.stdout;
  };
  await git('init', '--quiet');
  await fetchCommit(git, version);
  await inspect?.(git);
  await git('sparse-checkout', 'set', '--no-cone', ...patterns);
  // The content is fetched here.
  await git('checkout', '--quiet', '--detach', version.commit);
}

/** Some hosts only know a repository under its name with `.git`, and redirect requests for the other name. */
async function fetchCommit(git: Git, { url, commit }: Fetching['version']): Promise<void> {
  const ask = async (address: string): Promise<void> => {
    await git('config', '--replace-all', 'remote.origin.url', `https://${address}`);
    await git('fetch', '--quiet', '--depth=1', '--filter=blob:none', '--no-tags', 'origin', commit);
  };
  try {
    await ask(url);
  } catch (failure) {
    const unknown = failure instanceof StageFailure && elsewhere.includes(failure.error.code);
    if (!unknown || url.endsWith('.git')) throw failure;
    await ask(`${url}.git`).catch(() => {
      throw failure;
    });
  }
}

const elsewhere: readonly string[] = ['TemplatesMoved', 'TemplatesForbidden'];

interface GitHome {
  readonly url: string;
  /** Addresses at which the host may be asked; none: any. */
  readonly addresses: readonly LookupAddress[];
  readonly home: string;
}

/** The machine's own configuration is ignored; secrets are only in the environment. */
async function gitEnvironment(
  context: GitSurroundings,
  { title, secret }: FetchSubject,
  { url, addresses, home }: GitHome,
): Promise<Readonly<Record<string, string>>> {
  const [host = ''] = url.split('/');
  const login = secret && (await repositoryLogin(context, secret, title));
  const settings = [
    ['protocol.allow', 'never'],
    ['protocol.https.allow', 'always'],
    // The target of a redirection has not been checked.
    ['http.followRedirects', 'false'],
    ['core.hooksPath', '/dev/null'],
    ['core.symlinks', 'false'],
    ['fetch.fsckObjects', 'true'],
    ['credential.helper', ''],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '30'],
    ['advice.detachedHead', 'false'],
    // The files are read once and removed.
    ['maintenance.auto', 'false'],
    ...(addresses.length === 0 ? [] : [['http.curloptResolve', resolution(host, addresses)]]),
    ...(login ? [[`http.https://${host}/.extraHeader`, `Authorization: ${login}`]] : []),
  ];
  return {
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    ...(await ownAuthorities(context.runner, home)),
    GIT_ASKPASS: 'true',
    GIT_CONFIG_COUNT: String(settings.length),
    LC_ALL: 'C',
    ...Object.fromEntries(
      settings.flatMap(([key = '', value = ''], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** In curl's form: `host:port:address,address`. */
function resolution(host: string, addresses: readonly LookupAddress[]): string {
  const { hostname, port } = new URL(`https://${host}`);
  const shown = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
  return `${hostname}:${port || '443'}:${shown.join()}`;
}

/** Git does not know how Node trusts a company's own authority, so both kinds are put into one file. */
async function ownAuthorities(
  { authorities: extra }: Pick<RunnerConfig, 'authorities'>,
  home: string,
): Promise<Readonly<Record<string, string>>> {
  if (extra === undefined) return {};
  const texts = ['/etc/ssl/certs/ca-certificates.crt', extra].map((file) => readFile(file, 'utf8').catch(() => ''));
  const file = join(home, 'authorities.pem');
  await writeFile(file, (await Promise.all(texts)).join('\n'));
  return { GIT_SSL_CAINFO: file };
}

/**
 * The addresses that the host's name has now: git may use only these, since the name may have others the next time. None for
 * hosts that the operator allows, whatever their addresses. Throws for one in a private network, and for one without address.
 */
async function judgedAddresses(
  { ports }: GitSurroundings,
  { title, name: resource, document }: FetchSubject,
  { url }: Fetching['version'],
): Promise<readonly LookupAddress[]> {
  const [host = ''] = url.split('/');
  const name = host.replace(/:\d+$/, '');
  if ([host, name].some((allowed) => ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS.includes(allowed))) return [];
  const addresses = await lookup(name, { all: true }).catch(() => []);
  if (addresses.length === 0) {
    throw new StageFailure({
      class: 'transient',
      code: 'TemplatesUnreachable',
      message: `The ${title} cannot be fetched from ${url}: ${name} has no address.`,
      resource,
      hint: `If it keeps failing, correct the address in the ${document}.`,
    });
  }
  if (!addresses.some(({ address }) => isPrivateAddress(address))) return isIP(name) === 0 ? addresses : [];
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesRefused',
    message: `The ${title} are at ${host}, which is in a private network.`,
    resource,
    hint: 'Use a public host, or ask the operator to add it to KUBELOOM_TEMPLATE_PRIVATE_HOSTS.',
  });
}

interface Row {
  readonly class: 'user' | 'credentials';
  readonly code: string;
  readonly pattern: RegExp;
  readonly hint: (document: RepositoryDocument) => string;
}

/** Meaning of git's errors; first match wins. */
const complaints: readonly Row[] = [
  {
    class: 'user',
    code: 'TemplatesMissing',
    pattern: /not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i,
    hint: (document) => `The repository has no such commit, or does not serve it; name another in the ${document}.`,
  },
  {
    class: 'credentials',
    code: 'TemplatesForbidden',
    pattern: /authentication failed|could not read username|\b40[134]\b|repository .{0,300} not found/i,
    // Plugins have no token for their repository.
    hint: (document) =>
      document === 'plugin'
        ? 'Correct the address: the repository of a provider type has to be public.'
        : `Put a token that may read the repository into the Secret of the ${document}, then retry.`,
  },
  {
    class: 'user',
    code: 'TemplatesMoved',
    pattern: /returned error: 30\d/i,
    hint: (document) => `The repository has moved (HTTP redirect). Put its new URL into the ${document}.`,
  },
  {
    class: 'user',
    code: 'TemplatesTooLarge',
    pattern: /out of memory|cannot allocate|malloc|mmap failed|died of signal|file too large|is too long$/i,
    hint: (document) =>
      `Keep the ${document === 'GitSource' ? 'manifests' : 'modules'} in a repository of their own: for this repository git needs more memory or larger files than allowed.`,
  },
];

/** `prlimit` becomes git, and the kernel ends a git that wrote too much, without a message. */
const endedByKernel = 137;

function gitFailure(
  { title, name, document }: FetchSubject,
  { url }: Fetching['version'],
  result: CommandResult,
): StageFailure {
  const output = result.code === endedByKernel ? `${result.stderr}\nerror: git died of signal` : result.stderr;
  const message = `The ${title} cannot be fetched from ${url}: ${lastLine(output)}`;
  const row = complaints.find(({ pattern }) => pattern.test(output));
  const unknown = {
    class: 'transient',
    code: 'TemplatesUnreachable',
    hint: () => 'The log of the stage has the output of git.',
  } as const;
  const { class: kind, code, hint } = row ?? unknown;
  return new StageFailure({ class: kind, code, message, resource: name, hint: hint(document) });
}
