/** `kubeloom ssh NAME MACHINE`: lets a key in that is used once, and runs the system's ssh with it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { openedNodes, ttlSeconds } from '../access/access-request.ts';
import { makeEcdsaKeyPair } from '../access/ssh-key-pair.ts';
import { type CliClient, cliClient, type ManifestName } from '../connection/api-client.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { findCluster } from '../find/find-cluster.ts';
import { manifestOption, namespaceOf } from '../options.ts';
import { shortList } from '../print/layout.ts';

interface SshOptions {
  readonly namespace: string;
  readonly manifest?: string;
  readonly ttl: string;
}

export function registerSsh(program: Command): void {
  program
    .command('ssh <name> <machine> [command...]')
    .description('log in to a machine, or run a command there, with a key that is removed afterwards')
    .addOption(namespaceOf('the manifest'))
    .addOption(manifestOption())
    .option('--ttl <time>', 'how long the machine accepts the key, from 10m to 24h; a login may last longer', '10m')
    .action(ssh);
}

async function ssh(name: string, machine: string, command: readonly string[], options: SshOptions): Promise<void> {
  const seconds = ttlSeconds(options.ttl);
  const api = cliClient();
  const { owner, cluster } = await findCluster(api, name, options);
  const target = await machineOf(api, owner, cluster, machine);
  const { privateKey, publicKey } = makeEcdsaKeyPair('kubeloom');
  const { nodes } = await openedNodes(api, { ...owner, cluster }, { publicKey, seconds, target });
  const [node] = nodes;
  if (node === undefined || node.problem !== null)
    throw new CliError(`${target} was not opened: ${node?.problem ?? 'nothing is known of it'}`, exitCodes.fault);
  process.exitCode = await withKey(privateKey, (directory) => {
    const login = `${node.user}@${node.address}`;
    return run([...optionsOf(directory), '-p', String(node.port), login, ...command]);
  });
}

/** A machine by its name, or the only one of a group. Others are not opened. */
async function machineOf(api: CliClient, owner: ManifestName, cluster: string, wanted: string): Promise<string> {
  const { clusters } = await api.getManifest(owner);
  const nodes = clusters.find((one) => one.cluster === cluster)?.nodes ?? [];
  const pool = wanted.replaceAll('/', '-');
  const found = nodes.filter((node) => node.name === wanted || node.pool === pool);
  const [only] = found;
  if (only === undefined) {
    const known =
      shortList(
        nodes.map((node) => node.name),
        20,
      ) || 'none';
    throw new CliError(
      `there is no machine "${wanted}" in ${owner.namespace}/${owner.name}: it has ${known}`,
      exitCodes.notFound,
    );
  }
  if (found.length === 1) return only.name;
  const names = shortList(
    found.map((node) => node.name),
    20,
  );
  throw new CliError(`${wanted} has ${found.length} machines, name one of them: ${names}`, exitCodes.usage);
}

/** Machines come and go under the same addresses: their host keys are not kept, and not compared with those of others. */
function optionsOf(directory: string): readonly string[] {
  const settings = {
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    StrictHostKeyChecking: 'accept-new',
    UserKnownHostsFile: join(directory, 'known_hosts'),
    LogLevel: 'ERROR',
  };
  return [
    '-i',
    join(directory, 'key'),
    ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
  ];
}

/** The key is in a directory of its own, which is removed however the work ends. */
async function withKey(privateKey: string, work: (directory: string) => Promise<number>): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-ssh-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    writeFileSync(join(directory, 'key'), privateKey, { mode: 0o600 });
    return await work(directory);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Its exit code. ssh decides what a Ctrl-C means; other signals end it first, so that the key is removed. */
function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('ssh', args, { stdio: 'inherit' });
    const pass = (signal: NodeJS.Signals) => void (signal === 'SIGINT' || child.kill(signal));
    for (const signal of stops) process.on(signal, pass);
    const done = () => stops.forEach((signal) => void process.off(signal, pass));
    child.once('error', (cause: Error) => {
      done();
      const message = `ssh cannot be started: ${cause.message}; install the OpenSSH client, or use kubeloom ssh-key`;
      reject(new CliError(message, exitCodes.fault, { cause }));
    });
    child.once('close', (code) => {
      done();
      resolve(code ?? exitCodes.fault);
    });
  });
}
