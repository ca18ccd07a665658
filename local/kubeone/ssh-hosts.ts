/** Commands on hosts over the system's ssh, one connection a host. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HostConfig } from './manifest.ts';
import { commandFailure } from './refusal.ts';
import { makeSocketDirectory } from './socket-directory.ts';

/** A host was not reached. */
export class SshFailure extends Error {
  override readonly name = 'SshFailure';
  /** Address and port. */
  readonly endpoint: string;

  constructor(message: string, endpoint: string) {
    super(message);
    this.endpoint = endpoint;
  }
}

export class SshHosts {
  readonly #sockets = makeSocketDirectory();
  readonly #directory: string;

  /** `directory`: key files are relative to it, known_hosts is kept in it. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Runs a shell command as root. Throws `SshFailure`, or a `KubeOneRefusal` with the words of the command. */
  run(host: HostConfig, command: string, input: string | Buffer = ''): Promise<Buffer> {
    const asRoot = host.sshUsername === 'root' ? command : `sudo -n bash -c ${quoted(command)}`;
    const child = spawn('ssh', [...this.#options(host), asRoot], { stdio: ['pipe', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => out.push(part));
    child.stderr.on('data', (part: Buffer) => err.push(part));
    // A host that goes away closes the pipe early; the exit code shows it.
    child.stdin.on('error', () => undefined).end(input);
    return new Promise((resolve, reject) => {
      child.on('error', reject).on('close', (code) => {
        if (code === 0) resolve(Buffer.concat(out));
        else {
          const words = Buffer.concat(err).toString('utf8');
          reject(
            code === 255
              ? new SshFailure(notReached(host, words), `${host.publicAddress}:${host.sshPort}`)
              : commandFailure(host.publicAddress, code, command, words),
          );
        }
      });
    });
  }

  close(): void {
    rmSync(this.#sockets, { recursive: true, force: true });
  }

  #options(host: HostConfig): string[] {
    const options = {
      BatchMode: 'yes',
      IdentitiesOnly: 'yes',
      ConnectTimeout: '10',
      ServerAliveInterval: '5',
      ServerAliveCountMax: '4',
      StrictHostKeyChecking: 'accept-new',
      UserKnownHostsFile: join(this.#directory, 'known_hosts'),
      LogLevel: 'ERROR',
      ControlMaster: 'auto',
      ControlPath: join(this.#sockets, '%C'),
      ControlPersist: '5s',
    };
    return [
      ...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]),
      ...['-i', resolve(this.#directory, host.sshPrivateKeyFile), '-p', String(host.sshPort)],
      ...['-l', host.sshUsername, host.publicAddress],
    ];
  }
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function notReached(host: HostConfig, stderr: string): string {
  const words = stderr.trim().split('\n').slice(-5).join(' ');
  return `failed to connect to ${host.hostname} (${host.publicAddress}:${host.sshPort}): ${words}`;
}
