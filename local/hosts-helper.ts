/** Calls of the hosts helper that Terraform does not make: removing everything. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const hostsHelper = fileURLToPath(new URL('hosts/kubeloom-host', import.meta.url));

/** Removes every host, site and network device of that hosts directory; does nothing without a hosts directory. */
export async function removeAllHosts(hostsDirectory: string): Promise<void> {
  if (!existsSync(hostsDirectory)) return;
  await run(hostsHelper, ['gc', '--all'], {
    env: { ...process.env, KUBELOOM_HOSTS_DIR: hostsDirectory },
    timeout: 300_000,
  });
}
