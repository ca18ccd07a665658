/** A git repository that lies to a GitSource, through the real git: names, links, modules, attributes and contents. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOf, type SourceWorld, sourceWorld, statesOf } from '#test/sources/source-world.ts';
import { type GitServer, startGitServer, trust } from '#test/templates/git-server.ts';
import { hostileTexts, obeyedInJson } from './lies.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();
let server: GitServer;
let world: SourceWorld;
beforeEach(async () => {
  server = await startGitServer();
  world = sourceWorld(server);
});
afterEach(async () => {
  trust();
  await server.close();
});

const texts = hostileTexts(canary.file);
const short = Object.values(texts).filter((text) => text.length < 200);
/** One part of a path, as git takes it. */
const nameOf = (text: string) => text.replaceAll('/', '_').replaceAll('\u0000', '').toWellFormed();

/** Commits entries that no working tree could have, next to what is there. */
function commitEntries(
  entries: readonly { readonly mode: string; readonly name: string; readonly hash: string }[],
): void {
  const lines = entries.map(({ mode, name, hash }) => `${mode} ${hash} 0\t${name}\0`).join('');
  server.git('update-index', '-z', '--index-info', { input: lines });
  server.git('commit', '-q', '-m', 'lies');
}
const blob = (text: string) => server.git('hash-object', '-w', '--stdin', { input: text });

/** What is known of the repository afterwards: nothing in it would be obeyed, and the good manifest is applied. */
async function settled() {
  await world.put({ onFault: 'others' });
  const source = await world.settle();
  expect(JSON.stringify(source.status)).not.toMatch(obeyedInJson);
  expect(JSON.stringify(source.status).length).toBeLessThan(200_000);
  expect(JSON.stringify(source.status)).not.toContain('root:x:0');
  return source;
}

describe('a repository that lies', () => {
  it('files with hostile names are faults that name them, and the others are applied', async () => {
    server.commit(filesOf('good'));
    const hash = blob('kind: Nothing');
    const names = [...new Set(short.map((text) => `clusters/${nameOf(text)}.yaml`))];
    commitEntries(names.map((name) => ({ mode: '100644', name, hash })));
    const source = await settled();
    expect(statesOf(source)).toEqual({ good: 'applied' });
    expect(source.status.faults.length).toBeGreaterThan(20);
  });

  it('links, modules and attributes of git are never followed', async () => {
    server.commit({
      ...filesOf('good'),
      '.gitattributes': `* filter=evil diff=evil merge=evil ident export-subst\n`,
      '.gitmodules': `[submodule "x"]\n\tpath = clusters/module.yaml\n\turl = -u touch ${canary.file}\n\tupdate = !touch ${canary.file}\n`,
      '.lfsconfig': `[lfs]\n\turl = file:///etc\n`,
      'clusters/.git-hooks.yaml': `#!/bin/sh\ntouch ${canary.file}\n`,
    });
    // It was added without the attribute, which would not let it in.
    const encoding = blob('* filter=evil working-tree-encoding=UTF-16\n');
    const head = server.git('rev-parse', 'HEAD');
    commitEntries([
      ...['/etc/passwd', '../../../../../../etc/passwd', canary.file].map((target, index) => ({
        mode: '120000',
        name: `clusters/link-${index}.yaml`,
        hash: blob(target),
      })),
      { mode: '100644', name: 'clusters/.gitattributes', hash: encoding },
      { mode: '160000', name: 'clusters/module.yaml', hash: head },
    ]);
    const { status } = await settled();
    expect(status.faults.filter(({ reason }) => reason.includes('not a file but a link'))).toHaveLength(4);
  });

  it('hostile contents are faults of their files, in words that show little of them', async () => {
    const contents = [
      ...short,
      ...short.map((text) => JSON.stringify({ apiVersion: 'kubeloom.dev/v1', kind: text, metadata: { name: text } })),
      ...short.map((text) => `kind: InputManifest\nmetadata: {name: ${JSON.stringify(text)}}\n${text}: 1\n`),
      `a: &a [x,x]\n${'bcdefghijk'.replace(/./g, (letter) => `${letter}: &${letter} [*a,*a,*a,*a,*a,*a]\n`)}`,
      '['.repeat(400_000),
    ];
    server.commit({
      ...filesOf('good'),
      ...Object.fromEntries(contents.map((text, index) => [`clusters/lie-${index}.yaml`, text])),
    });
    const source = await settled();
    const { good, ...others } = statesOf(source);
    expect([good, ...new Set(Object.values(others))]).toEqual(['applied', 'refused']);
    expect(await world.stored()).toEqual(['good']);
    const faulty = new Set(source.status.faults.map(({ file }) => file));
    expect(faulty.size).toBeGreaterThan(50);
  });
});
