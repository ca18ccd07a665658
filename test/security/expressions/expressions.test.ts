/** No regular expression of the product takes more than linear time, except for those that never read a long text of someone else. */
import { describe, expect, it } from 'vitest';
import { expressionsInProduct, inPython, inTypeScript } from './expressions-in-sources.ts';
import { slownessOf } from './slow-expression.ts';

/** What may be slow, by the file and a piece of the expression, and why that is no harm. */
const allowed: readonly (readonly [file: string, piece: string, why: string])[] = [
  ['cdk/bundle-functions.ts', 'contracts', 'esbuild runs it, whose expressions are linear'],
  ['cdk/bundle-functions.ts', 'describe', 'reads our own sources when they are bundled'],
  ['cdk/bundle-functions.ts', 'domain', 'esbuild runs it, whose expressions are linear'],
  ['cdk/constructs/runner-project.ts', ':log-group:', 'reads findings about our own stack at synth'],
  ['cdk/constructs/runner-project.ts', ':execute-api:', 'reads findings about our own stack at synth'],
  ['cdk/constructs/state-machine-file.ts', ':execution:', 'reads findings about our own stack at synth'],
  ['cdk/constructs/runner-project.ts', ':log-group:', 'reads findings about our own stack at synth'],
  ['cdk/constructs/runner-project.ts', ':execute-api:', 'reads findings about our own stack at synth'],
  ['runner-images/bundle-ballast.ts', 'optional|nullable', 'reads a source of a package when runners are bundled'],
  ['local/kubernetes/build/go-module.ts', 'replace|exclude', 'reads go.mod of pinned modules'],
  ['local/kubernetes/build/go-module.ts', '"Error"', 'reads what `go mod download` prints of pinned modules'],
  ['cli/provider-kit/terraform-type.ts', '"?|', 'matches without the closing quote, too, so no text is read twice'],
  [
    'functions/domain/observed/recognizable-secrets.ts',
    'PRIVATE KEY',
    'matches at the end of the text at the latest, so nothing is read twice',
  ],
];

/** What is built from text: nothing of a user or machine is put into an expression unescaped, and no loop next to a loop. */
const built: readonly (readonly [file: string, why: string])[] = [
  ['cdk/bundle-functions.ts', 'names of files of zod'],
  ['cdk/constructs/schedules.ts', 'ids of our own functions'],
  ['cli/provider-kit/check-resources.ts', 'names of attributes from a table of ours'],
  ['cli/scaffold/new-type.ts', 'names of the variables of the contract'],
  ['functions/contracts/http-parameters.ts', 'names of stages'],
  ['functions/pipeline/stages/stage-decision.ts', 'an exit code of ours'],
  ['runner-images/runner/kubeone/kubeone-failure.ts', 'names of nodes, which are DNS names'],
];

const found = expressionsInProduct();

describe('a regular expression of the product', () => {
  it('an expression takes linear time', () => {
    const slow = found.flatMap(({ file, written }) => {
      if (typeof written === 'string') return [];
      const why = slownessOf(written);
      const known = allowed.some(([place, piece]) => place === file && written.source.includes(piece));
      return why === undefined || known ? [] : [`${file}: /${written.source}/${written.flags} ${why}`];
    });
    expect(slow).toEqual([]);
  });

  it('an expression that is built from text has a reason', () => {
    const unknown = found.filter(
      ({ file, written }) => typeof written === 'string' && !built.some(([place]) => place === file),
    );
    expect(unknown).toEqual([]);
  });

  it('an expression that is excepted exists and is slow', () => {
    const stale = [
      ...allowed.filter(
        ([place, piece]) =>
          !found.some(
            ({ file, written }) =>
              file === place && typeof written !== 'string' && written.source.includes(piece) && slownessOf(written),
          ),
      ),
      ...built.filter(([place]) => !found.some(({ file, written }) => file === place && typeof written === 'string')),
    ];
    expect(stale).toEqual([]);
  });

  it('an expression is found in TypeScript, TSX, JavaScript and Python', () => {
    const literal = { source: 'a+$', flags: 'g' };
    for (const file of ['a.ts', 'a.mjs']) expect(inTypeScript(file, 'x(/a+$/g)')).toEqual([{ file, written: literal }]);
    expect(inTypeScript('a.tsx', 'const a = <b c={/a+$/g} />')).toEqual([{ file: 'a.tsx', written: literal }]);
    expect(inTypeScript('a.ts', 'new RegExp(`${b}+`)')).toEqual([{ file: 'a.ts', written: 'new RegExp(`${b}+`)' }]);
    expect(inPython('a.py', 're.compile(r"(?P<x>a+)$", re.M)')).toEqual([
      { file: 'a.py', written: { source: '(?<x>a+)$', flags: '' } },
    ]);
    expect(found.length).toBeGreaterThan(500);
  });
});

describe('the check of expressions', () => {
  it.each([
    ['two loops around a separator', /^[^/]+\.[^/]+\/$/],
    ['white space before an optional end', /^\w+\s*(?:\?\?\s*(.+?)\s*)?$/s],
    ['a run at the end', /-+$/],
    ['a word between words', /^(.*) by (.+?) from \w+$/s],
    ['a text that is searched again from each of its places', /begin .* end/],
    ['three loops', /:role\/.*\/.*\*$/],
    ['a loop in a loop', /^(?:a|b|ab)*$/],
    ['a loop in a loop around white space', /^(?:\s*"\w+"\s*,?)*\s*\]$/],
    ['a word after which another is expected', /\w+(?=\d+-x$)/],
    ['elements without an end', /<[a-z]+[^>]*>/],
    ['lines of white space', /^\s*#.*$/m],
  ])('the checker refuses %s', (_, expression) => {
    expect(slownessOf(expression)).toBeTypeOf('string');
  });

  it.each([
    ['a name', /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/],
    ['a word with a border', /(?<!\w)\w+Exception$/],
    ['a text up to its end', /Output:\s*\S[\s\S]*/],
    ['quoted text', /^"(?:[^"\\]|\\.)*"$/],
    ['a loop with a bound', /begin .{0,300} end/],
    ['the parts of a name', /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)*[a-z]+$/],
    ['one place of a text', /x*y/y],
    ['lines', /^[ \t]*#.*$/m],
  ])('the checker accepts %s', (_, expression) => {
    expect(slownessOf(expression)).toBeUndefined();
  });
});
