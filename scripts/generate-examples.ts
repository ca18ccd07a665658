/** Writes examples/README.md out of the first sentence of each example. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settle } from './generated.ts';

const folder = join(import.meta.dirname, '../examples');

/** The first sentence of the comment at its head. Throws when it has no comment. */
function firstSentence(file: string): string {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comment = lines.slice(1, end).map((line) => line.slice(1).trim());
  const [sentence] = /^.+?\.(?= [A-Z`]|$)/.exec(comment.join(' ')) ?? [];
  if (sentence === undefined) throw new Error(`examples/${file} does not begin with a comment that says what it shows`);
  // Paths of pages are those of the repository.
  return sentence.replaceAll(/\(?\bdocs\/[\w/-]+\.md\)?/g, (path) =>
    path.replace(/docs\/([\w/-]+\.md)/, '[$1](../docs/$1)'),
  );
}

const rows = globSync('**/*.yaml', { cwd: folder })
  .toSorted()
  .map((file) => `| [${file}](${file}) | ${firstSentence(file)} |`);

const page = [
  '# Examples',
  `\`kubeloom apply -f examples/sim-minimal.yaml\` submits one; operator.yaml is for kubectl. Those that begin with \`sim-\` create nothing real, on any machine:
\`kubeloom simulate examples/sim-minimal.yaml\`. Those that begin with \`local-\` create real hosts on this machine. A folder is an inventory:
all of its files belong together. What the fields mean: [the manifest](../docs/manifest.md).`,
  `| example | what it shows |\n|---|---|\n${rows.join('\n')}`,
].join('\n\n');

settle('examples/README.md', `${page}\n`);
