/** Upstream files of documents on this machine: `npm run documents:fetch` puts them there. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import upstream from '../templates/kubernetes/upstream.json' with { type: 'json' };

/** Where they are looked for, in this order. */
export function documentDirectories(): readonly string[] {
  const own = (process.env.KUBELOOM_DOCUMENTS ?? '').split(delimiter).filter(Boolean);
  return [...own, join(process.env.KUBELOOM_HOME ?? join(homedir(), '.kubeloom'), 'documents')];
}

/** Names of documents whose file is there. */
export function upstreamThere(): readonly string[] {
  const missing = upstreamMissing();
  return Object.entries(upstream).flatMap(([name, { file }]) => (missing.includes(file) ? [] : [name]));
}

/** Names of files that are not there. */
export function upstreamMissing(): readonly string[] {
  const images = fileURLToPath(new URL('../templates/kubernetes/upstream', import.meta.url));
  const directories = [...documentDirectories(), images];
  return Object.values(upstream).flatMap(({ file }) =>
    directories.some((directory) => existsSync(join(directory, file))) ? [] : [file],
  );
}
