/** The log of a stage stays small, readable and free of secrets, whatever a tool prints. */
import { beforeEach, describe, expect, it } from 'vitest';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageLog } from '#runner/stage-log.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

let stored: string[];
let mask: SecretMask;
let log: StageLog;
beforeEach(() => {
  stored = [];
  mask = new SecretMask();
  const artifacts = {
    putText: async (_key: string, text: string) => {
      stored.push(text);
    },
  };
  log = new StageLog({ artifacts, key: 'log', mask, clock: fakeDeps().clock });
});
const written = async () => {
  await log.close();
  return stored.at(-1) ?? '';
};

describe('the log of a stage', () => {
  it('beginning and end are kept, and it says how many lines are not', async () => {
    for (let line = 0; line < 60_000; line += 1) log.write('tool', `line ${line} ${'ü'.repeat(40)}`);
    const text = await written();
    const lines = text.trimEnd().split('\n');
    expect(Buffer.byteLength(text)).toBeLessThan(2_100_000);
    expect(lines[0]).toContain('line 0 ');
    expect(lines.at(-1)).toContain('line 59999 ');
    const gap = lines.findIndex((line) => /^… \d+ lines left out …$/.test(line));
    expect(Number(/\d+/.exec(lines[gap] ?? '')?.[0]) + lines.length - 1).toBe(60_000);
    expect(log.lastLines(1)).toContain('line 59999 ');
  });

  it('a line of 40 MB takes a few kilobytes', async () => {
    log.write('tool', 'x'.repeat(40_000_000));
    const text = await written();
    expect(text.length).toBeLessThan(17_000);
    expect(text).toContain('(the rest of a long line is left out)');
  });

  it('a secret that a line ends inside of is not shown', async () => {
    const secret = Array.from({ length: 100 }, (_, at) => `kumquat-${at}`).join('-');
    mask.add([secret]);
    log.write('tool', `${`${secret} `.repeat(30)}${secret.slice(0, 500)}`.slice(0, -3));
    expect(await written()).not.toMatch(/kumquat-1\d/);
  });

  it('what a terminal would obey is escaped', async () => {
    log.write('tool', 'a\u001b]0;title\u0007b\u202ec\u0000d\re\u2028f');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
    expect(await written()).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
    expect(await written()).toContain('b\\u202ec\\u0000d\\u000de\\u2028f');
  });
});
