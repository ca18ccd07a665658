/** What messages of tools mean, in their real shape: the class, whether it is retried, and the cause in the message. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorClasses } from '#domain/errors.ts';
import { type CorpusMessage, corpusOf, corpusTools, readingOf } from './corpus.ts';

const judged = corpusTools.flatMap(corpusOf).map((message) => ({ message, reading: readingOf(message) }));
const isRight = ({ message: { expected }, reading }: (typeof judged)[number]) =>
  reading.class === expected.class && reading.retryable === expected.retryable;
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** The line that a person has to see: tools of machines print the cause last, the others first. */
function causeLine({ tool, where, text }: CorpusMessage): string {
  const lines = text.split('\n').map(oneLine).filter(Boolean);
  const said = lines.filter(
    (line) => !/^(?:See |WARNING|\[preflight\]|error: error execution phase preflight: preflight|E\d{4})/.test(line),
  );
  const hook = /Output: (.+)$/.exec(text)?.[1];
  const first = tool === 'terraform' || tool === 'kubectl' || (where !== 'own' && text.includes('[ERROR '));
  return (hook ?? (first ? said.find((line) => !line.startsWith('[upgrade')) : said.at(-1)) ?? '').slice(0, 60);
}

describe('messages of tools', () => {
  it('a message has the class that is expected, and is retried as expected, in 97 of 100 cases at least', () => {
    const wrong = judged.filter((one) => !isRight(one));
    const words = wrong.map(
      ({ message, reading }) =>
        `${message.tool} ${message.where}: ${reading.class}/${reading.retryable} instead of ${message.expected.class}/${message.expected.retryable}: ${oneLine(message.text).slice(0, 100)}`,
    );
    expect(judged.length).toBeGreaterThanOrEqual(300);
    expect(judged.filter(({ message }) => message.source.startsWith('sibling')).length).toBeGreaterThanOrEqual(100);
    expect(wrong.length / judged.length, words.join('\n')).toBeLessThanOrEqual(0.03);
  });

  it('the cause is in the message, in the words of the tool and in one line', () => {
    const without = judged.filter(({ message, reading }) => !reading.message.includes(causeLine(message)));
    expect(without.map(({ message, reading }) => `${causeLine(message)}\n   ${reading.message}`)).toEqual([]);
    expect(judged.filter(({ reading }) => reading.message.includes('\n'))).toEqual([]);
  });

  it('a script that is repeated is in no message', () => {
    const scripts = /set -xeuo|EOF|modules-load|KUBELOOM_HOST_HELPER/;
    const shown = judged.filter(({ message, reading }) => scripts.test(reading.message) && !scripts.test(message.text));
    expect(shown.map(({ reading }) => reading.message)).toEqual([]);
  });

  it('no message of a tool is a fault of Kubeloom, except for templates and manifests of ours', () => {
    const bugs = judged.filter(({ reading }) => reading.class === 'bug');
    expect(bugs.filter(({ message }) => message.expected.class !== 'bug')).toEqual([]);
    expect(judged.filter(({ reading }) => /fault of Kubeloom/.test(reading.hint ?? ''))).toEqual([]);
  });

  it('a change of a table shows which messages it moves', async () => {
    const counts = errorClasses.flatMap((name) => {
      const all = judged.filter(({ reading }) => reading.class === name).length;
      return all === 0 ? [] : [`${name} ${all}`];
    });
    const rows = judged.map((one) => {
      const { message, reading } = one;
      const end = `${reading.class} ${reading.code}${reading.retryable ? ', retried' : ''}${isRight(one) ? '' : ` (expected: ${message.expected.class})`}`;
      return `${message.tool} ${message.where}: ${oneLine(message.text).slice(0, 90)} => ${end}`;
    });
    const text = [`${judged.length} messages: ${counts.join(', ')}`, ...rows, ''].join('\n');
    await expect(text).toMatchFileSnapshot('readings.snap.txt');
  });

  it('the documentation has the numbers', () => {
    const document = readFileSync(join(import.meta.dirname, '../../docs/conformance.md'), 'utf8');
    const rows = corpusTools.map((tool) => {
      const own = judged.filter(({ message }) => message.tool === tool);
      const siblings = own.filter(({ message }) => message.source.startsWith('sibling')).length;
      return `| ${tool} | ${own.length} | ${siblings} | ${own.filter(isRight).length} |`;
    });
    expect(rows.filter((row) => !document.includes(row))).toEqual([]);
  });
});
