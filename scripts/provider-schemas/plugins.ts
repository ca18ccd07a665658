/** Provider plugins built from the Go module proxy, kept in ~/.cache/kubeloom/providers. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { PluginBuild } from './sources.ts';

export function cacheDirectory(): string {
  return process.env.KUBELOOM_PROVIDER_CACHE ?? join(homedir(), '.cache/kubeloom/providers');
}

/** Path of the built plugin; builds it if it is not there yet. */
export function buildPlugin(build: PluginBuild): string {
  const target = join(cacheDirectory(), `${build.module.split('/').at(-1)}@${build.version}`);
  execFileSync(join(import.meta.dirname, 'build-plugin.sh'), [`${build.module}@${build.version}`, target], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return target;
}

/** `terraform`, else `tofu`, on the PATH. */
export function terraformProgram(): string {
  for (const name of ['terraform', 'tofu']) {
    for (const directory of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(directory, name);
      if (directory && existsSync(file)) return file;
    }
  }
  throw new Error('neither terraform nor tofu is on the PATH');
}
