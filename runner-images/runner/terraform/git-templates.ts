/** Fetches templates of a git repository: only the folder of one provider type at one commit, bounded in size and time. */
import { lookup } from 'node:dns/promises';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPrivateAddress } from '#adapters/public-https.ts';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { TemplateVersion } from '#domain/template-version.ts';
import { templatesMark } from '#rendering/terraform-names.ts';
import { requiredField, userSecret } from '../credentials.ts';
import { complaintsOnly } from '../process.ts';
import type { SecretMask } from '../secret-mask.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';

type Around = Pick<StageContext, 'ports' | 'mask' | 'run' | 'workDirectory'>;

/** What one type's folder may hold: modules are a few small text files. */
const most = { files: 500, bytes: 5_000_000 };
/** Of any file that git writes, its packs too. */
const mostPackBytes = 200_000_000;
const fetchMs = 120_000;

/** Each version once for a stage; a stage has a mask of its own. */
const fetched = new WeakMap<SecretMask, Map<string, Promise<string>>>();

/** Directory with the modules of the provider's type. Throws `StageFailure`. */
export function gitTemplates(context: Around, provider: ProviderInstance, version: TemplateVersion): Promise<string> {
  const known = fetched.get(context.mask) ?? new Map<string, Promise<string>>();
  fetched.set(context.mask, known);
  const key = `${provider.type} ${provider.templates}`;
  const directory = known.get(key) ?? fetchType(context, provider, version);
  known.set(key, directory);
  return directory;
}

async function fetchType(context: Around, provider: ProviderInstance, version: TemplateVersion): Promise<string> {
  await refusePrivateHost(context, provider, version);
  const directory = join(context.workDirectory, 'templates', `${provider.type}-${templatesMark(provider.templates)}`);
  const folder = join(version.path, provider.type);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const environment = await gitEnvironment(context, provider, version, directory);
  const git = async (...args: readonly string[]): Promise<void> => {
    const limited = [`--fsize=${mostPackBytes}`, '--', 'git', '-C', directory, ...args];
    const command = { label: `git ${args[0]}`, program: 'prlimit', args: limited, environment };
    const result = await context.run({ ...command, onLine: complaintsOnly, totalMs: fetchMs });
    if (result.code !== 0) throw gitFailure(provider, version, result.stderr);
  };
  await git('init', '--quiet');
  await git('remote', 'add', 'origin', `https://${version.url}`);
  await git('fetch', '--quiet', '--depth=1', '--filter=blob:none', '--no-tags', 'origin', version.commit);
  await git('sparse-checkout', 'set', '--no-cone', `/${folder}/`);
  // What the folder holds is fetched here.
  await git('checkout', '--quiet', '--detach', version.commit);
  return measured(provider, version, join(directory, folder));
}

/** Nothing of the machine's own configuration counts; what is secret is in the environment alone. */
async function gitEnvironment(
  context: Around,
  provider: ProviderInstance,
  { url }: TemplateVersion,
  home: string,
): Promise<Readonly<Record<string, string>>> {
  const [host = ''] = url.split('/');
  const header = await authorization(context, provider);
  const settings = [
    ['protocol.allow', 'never'],
    ['protocol.https.allow', 'always'],
    ['core.hooksPath', '/dev/null'],
    ['core.symlinks', 'false'],
    ['fetch.fsckObjects', 'true'],
    ['credential.helper', ''],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '30'],
    ['advice.detachedHead', 'false'],
    ...(header === undefined ? [] : [[`http.https://${host}/.extraHeader`, header]]),
  ];
  return {
    ...{ HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
    ...(await ownAuthorities(home)),
    ...{ GIT_ASKPASS: 'true', GIT_CONFIG_COUNT: String(settings.length), LC_ALL: 'C' },
    ...Object.fromEntries(
      settings.flatMap(([key = '', value = ''], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** Git does not know Node's way to trust a company's own authority, so both kinds are put into one file. */
async function ownAuthorities(home: string): Promise<Readonly<Record<string, string>>> {
  const extra = process.env.NODE_EXTRA_CA_CERTS;
  if (!extra) return {};
  const texts = ['/etc/ssl/certs/ca-certificates.crt', extra].map((file) => readFile(file, 'utf8').catch(() => ''));
  const file = join(home, 'authorities.pem');
  await writeFile(file, (await Promise.all(texts)).join('\n'));
  return { GIT_SSL_CAINFO: file };
}

async function authorization(
  context: Around,
  { name, templatesSecret }: ProviderInstance,
): Promise<string | undefined> {
  if (templatesSecret === undefined) return undefined;
  const fields = await userSecret(context, templatesSecret, `templates of provider ${name}`);
  const token = requiredField(fields, 'token', `Secret ${templatesSecret}`).trim();
  const encoded = Buffer.from(`${fields.username?.trim() || 'x-access-token'}:${token}`).toString('base64');
  context.mask.add([encoded]);
  return `Authorization: Basic ${encoded}`;
}

async function refusePrivateHost(
  { ports }: Around,
  provider: ProviderInstance,
  { url }: TemplateVersion,
): Promise<void> {
  const [host = ''] = url.split('/');
  const name = host.replace(/:\d+$/, '');
  if ([host, name].some((allowed) => ports.config.KUBELOOM_TEMPLATE_PRIVATE_HOSTS.includes(allowed))) return;
  const addresses = await lookup(name, { all: true }).catch(() => []);
  if (!addresses.some(({ address }) => isPrivateAddress(address))) return;
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesRefused',
    message: `The templates of provider ${provider.name} are at ${host}, which is in a private network.`,
    resource: provider.name,
    hint: 'Use a public host, or let the operator add it to KUBELOOM_TEMPLATE_PRIVATE_HOSTS.',
  });
}

/** Throws when the folder is missing, has none of our modules, or is larger than modules are. */
async function measured(provider: ProviderInstance, version: TemplateVersion, folder: string): Promise<string> {
  const where = `${version.url}@${version.commit.slice(0, 12)}, folder ${version.path}/${provider.type}`;
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const inside = new Set(files.filter((file) => file.parentPath === folder).map(({ name }) => name));
  if (
    !['network', 'nodepool', 'dns'].some((module) => inside.has(module) && hasTerraform(files, join(folder, module)))
  ) {
    throw new StageFailure({
      class: 'user',
      code: 'TemplatesMissing',
      message: `There are no Terraform modules for provider type ${provider.type} in ${where}.`,
      resource: provider.name,
      hint: 'docs/write-a-provider.md says what has to be there; text templates (.tpl) of Claudie are none.',
    });
  }
  const plain = files.filter((file) => file.isFile());
  const sizes = await Promise.all(plain.map((file) => stat(join(file.parentPath, file.name))));
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  if (plain.length <= most.files && bytes <= most.bytes) return folder;
  throw new StageFailure({
    class: 'user',
    code: 'TemplatesTooLarge',
    message: `The templates in ${where} are ${plain.length} files with ${bytes} bytes; at most ${most.files} files and ${most.bytes} bytes are taken.`,
    resource: provider.name,
    hint: 'Keep only the modules in that folder.',
  });
}

function hasTerraform(
  files: readonly { readonly name: string; readonly parentPath: string }[],
  folder: string,
): boolean {
  return files.some(({ name, parentPath }) => parentPath === folder && /\.tf(\.json)?$/.test(name));
}

function gitFailure({ name }: ProviderInstance, { url, commit }: TemplateVersion, stderr: string): StageFailure {
  const about = {
    resource: name,
    message: `The templates of provider ${name} cannot be fetched from ${url}: ${lastLine(stderr)}`,
  };
  if (/not our ref|couldn't find remote ref|no such remote ref|unadvertised object/i.test(stderr)) {
    const hint = `${url} has no commit ${commit}, or does not give it out; name another in the TemplateGitReference.`;
    return new StageFailure({ ...about, class: 'user', code: 'TemplatesMissing', hint });
  }
  if (/authentication failed|could not read username|\b40[13]\b|repository .* not found/i.test(stderr)) {
    const hint = 'Put a token that may read the repository into the Secret of the TemplateGitReference, then retry.';
    return new StageFailure({ ...about, class: 'credentials', code: 'TemplatesForbidden', hint });
  }
  const hint = 'It is tried again; the log of the stage has its own words.';
  return new StageFailure({ ...about, class: 'transient', code: 'TemplatesUnreachable', hint });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
