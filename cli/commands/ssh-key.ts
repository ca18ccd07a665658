/** `kubeloom ssh-key CLUSTER [NODE|POOL]`: lets a key of yours in to nodes for some hours, and prints how to log in. */
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { openedNodes, ttlSeconds } from '../access/access-request.ts';
import { cliClient } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { findCluster } from '../find/find-cluster.ts';
import { jsonOption, manifestOption, namespaceOf } from '../options.ts';
import { note, printJson, printTable } from '../print/output.ts';

interface SshKeyOptions {
  readonly namespace: string;
  readonly manifest?: string;
  readonly ttl: string;
  readonly publicKey?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export function registerSshKey(program: Command): void {
  program
    .command('ssh-key <cluster> [node-or-pool]')
    .description('grant an SSH key access to nodes as root for a limited time')
    .addOption(namespaceOf('the manifest'))
    .addOption(manifestOption())
    .option('--ttl <time>', 'how long, from 10m to 24h', '1h')
    .option('--public-key <file>', 'an existing key (~/.ssh/id_ed25519.pub) instead of a new one')
    .option('-o, --output <file>', 'write the new private key to this file (default: kubeloom-CLUSTER.key)')
    .addOption(jsonOption('the nodes as JSON'))
    .action(sshKey);
}

async function sshKey(wanted: string, target: string | undefined, options: SshKeyOptions): Promise<void> {
  const { ttl, publicKey: file, output, json } = options;
  if (file !== undefined && output !== undefined)
    throw new CliError('-o is for a new key: leave it out with --public-key', exitCodes.usage);
  const seconds = ttlSeconds(ttl);
  const api = cliClient();
  const { owner, cluster, name } = await findCluster(api, wanted, options);
  const identity = file?.replace(/\.pub$/, '') ?? output ?? `kubeloom-${name}.key`;
  // Ours of an earlier request ended, or ends soon; a file that was named may be any.
  const { publicKey, keep } = await keyOf(file, identity, output === undefined);
  const { nodes, until } = await openedNodes(api, { ...owner, cluster }, { publicKey, seconds, target });
  await keep();
  if (json) {
    printJson({ until, identity, nodes });
    return;
  }
  const login = ({ user, address, port }: (typeof nodes)[number]): string =>
    `ssh -i ${identity}${port === 22 ? '' : ` -p ${port}`} ${user}@${address}`;
  printTable(
    ['NODE', 'LOG IN'],
    nodes.map((node) => [node.name, node.problem === null ? login(node) : `not opened: ${node.problem}`]),
  );
  note(`the nodes accept the key until ${until}`);
}

interface Key {
  readonly publicKey: string;
  /** Writes a new private key, when the nodes accept it. */
  keep(): Promise<void>;
}

/** A key of the user, or a new one in a new file. Throws `CliError` when the file cannot be read, or is there already. */
async function keyOf(file: string | undefined, output: string, replace: boolean): Promise<Key> {
  if (file !== undefined) {
    const publicKey = await readFile(file, 'utf8').catch((cause: Error) => {
      throw new CliError(`cannot read ${file}: ${cause.message}`, exitCodes.usage, { cause });
    });
    if (publicKey.includes('PRIVATE KEY'))
      throw new CliError(`${file} is a private key: name the file with .pub, which may be sent`, exitCodes.usage);
    return { publicKey: publicKey.trim(), keep: async () => undefined };
  }
  if (!replace && existsSync(output))
    throw new CliError(`${output} exists: name another file with -o, or remove it`, exitCodes.usage);
  const { makeEcdsaKeyPair } = await import('../access/ssh-key-pair.ts');
  const { privateKey, publicKey } = makeEcdsaKeyPair('kubeloom');
  const keep = async (): Promise<void> => {
    if (replace) await rm(output, { force: true });
    await writeFile(output, privateKey, { mode: 0o600, flag: 'wx' });
  };
  return { publicKey, keep };
}
