/** Builds the web console for an installation that has it. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Writes the files into `directory`. Throws with the words of the build. */
export function buildConsole(directory: string): void {
  const words = ['build', `${root}console`, '--outDir', directory, '--emptyOutDir', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, [`${root}node_modules/vite/bin/vite.js`, ...words], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
}
