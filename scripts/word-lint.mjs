/**
 * Refuses the words that the glossary of CONTRIBUTING.md replaces: in code (strings, comments, JSX, names), tests and documents.
 * Refuses titles of tests without a subject, and comments that begin with "Of". Prints `file:line: word -> use …` and exits with 1; `--count`: hits by folder.
 * Other arguments are paths to read. @default all
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const glossaryFile = 'CONTRIBUTING.md';

/** Rows `| use | meaning | instead of | except in |` below the heading "Glossary"; the last two cells are lists of `code`. */
function glossaryRows(page) {
  const section = page.split(/^## /m).find((part) => part.startsWith('Glossary')) ?? '';
  const lists = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  return section
    .split('\n')
    .filter((line) => line.startsWith('| **'))
    .map((line) => line.split('|').slice(1, -1))
    .map(([use, , words, except]) => ({
      use: use.replaceAll('*', '').trim(),
      words: lists(words),
      except: lists(except),
    }));
}

/** A phrase also matches over the end of a line, and in names of files; `*` at the end of a word is any ending of it. */
const pattern = (phrase) => phrase.replace(/\*/g, '\\w*').replace(/ /g, '(?:\\s+|-)');

/** What is left out matches first, as a group of its own, so that the word inside of it is passed over. */
function matcherOf(rows) {
  const any = (phrases) => phrases.map(pattern).join('|') || '(?!)';
  const groups = rows.map(({ words }, index) => `(?<row${index}>${any(words)})`);
  return new RegExp(`\\b(?:(?:${any(rows.flatMap(({ except }) => except))})|${groups.join('|')})\\b`, 'gi');
}

/**
 * Names of more than one word, also those in strings such as kinds of events: `driftFound` and `drift_found` are read as
 * "drift Found" and "drift found". A name of one word is part of the text.
 */
const namesOfCode = (file, source) =>
  [...source.matchAll(/\b\w*(?:[a-z\d][A-Z]|[A-Za-z]_[A-Za-z])\w*/g)]
    .filter(([name]) => ![thisFile, ...(storedNames.get(name) ?? [])].some((place) => file.startsWith(place)))
    .map(({ 0: name, index }) => ({ at: index, text: name.replace(betweenWords, ' ').replaceAll('_', ' ') }));

/** "leftGone", "node2Gone", "TLSGone". */
const betweenWords = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;

/** Fields of stored documents, kinds of events and names of resources stay as they are: where each is written or read. */
const thisFile = 'scripts/word-lint.mjs';
const events = ['functions/', 'console/', 'docs/events.md', 'test/'];
const storedNames = new Map([
  ['lostPools', ['functions/domain/cluster-state.ts', 'test/observed/']],
  ['PoolLeftOut', ['runner-images/runner/failed-pools.ts', ...events]],
  ['RunCutOff', events],
  ['ExecutionCutOff', ['cdk/']],
]);

/** Titles: `it('…'`, `describe.skipIf(…)('…'`, `test.each([…])('…'`. */
const titlesOfTest = (source) =>
  [...source.matchAll(/(?:\b(?:it|describe|test)(?:\.\w+)*|\))\(\s*(?=['"`])/g)].map(({ 0: call, index }) => ({
    at: index + call.length,
    text: source.slice(index + call.length, index + call.length + 80),
  }));

/** A title that begins with one of these has its subject in its `describe`; names of commands that are verbs are not among them. */
const afterSubject = new Set(
  `
  accepts adds after aligns allow allows and answers appear appears applies are as asks at avoid avoids bears become becomes
  begins behind between brings but by can cannot carries carry catches cleans clips closes come comes compares concerns
  consists contains continues converges could counts creates decides deletes derives describes detects did differ differs
  distinguishes do does downloads drains during emits encodes ends enters excludes explains fail fails fills finds fits folds
  for forget forgets from gave gets give gives go goes grows had has have helped hides hold holds if ignores in includes
  installs interrupts into is joins judges keep keeps know knows lead leads leave leaves lends let lets listens lists loads
  lose loses made make makes may means measures might moves must named names needs never nor notices of offers on once opens
  or outlives outside parses passes patches pins points prefers prevents prints prolongs puts reach reaches reads recognises
  recognizes refuse refuses rejects removes replaces reports requires retries returns reveals revokes rolls said saw say says
  sees sends sets settles should show shows shrinks silences speaks starts stay stays still stops submits succeeds survives
  take takes than that throws to took touches treats tries understands unless until upgrades uses validates visits waits walks
  want wants warns was were when where which while whom whose will wins with within without works would wraps writes
`.match(/\w+/g),
);

/** The first words of titles that cannot be read without their `describe`; a title may begin with a placeholder. */
function wordsWithoutSubject(source) {
  const calls = /(?:^|\))\s*(?:it|test|describe)(?=[.(])/gm;
  const isDescribe = (at) => source.slice(0, at).match(calls)?.at(-1)?.endsWith('describe');
  return titlesOfTest(source)
    .map(({ at, text }) => ({ at, word: /^['"`]([a-z]+)(?![\w-])/.exec(text)?.[1] }))
    .filter(({ at, word }) => afterSubject.has(word) && !isDescribe(at));
}

/** Comments like "Of the last run.": a reader has to guess the subject. A comment of several lines may have "Of" in its middle. */
const commentsWithoutSubject = (source) =>
  [...source.matchAll(/(?:\/\*\*?\s*(?:\*\s*)?|(?<!^[ \t]*(?:\/\/|#).*\n[ \t]*)(?:\/\/|#) )Of (?=[a-z`'"])/gm)].map(
    ({ index }) => index,
  );

/** A line of code has one kind of text for a reader: its comments, strings, JSX and names are all read. */
function textsOf(file, source) {
  if (file === glossaryFile) return [{ at: 0, text: source.replace(/^\| \*\*.*$/gm, (row) => ' '.repeat(row.length)) }];
  if (file === 'CHANGELOG.md') return [{ at: 0, text: source.split(/^## (?!Unreleased)/m)[0] }];
  return [{ at: 0, text: source }, ...namesOfCode(file, source)];
}

/** Not read: JSON, which is generated or recorded, and the manifests, modules and goldens of tests, which are data. */
function isRead(file) {
  if (/\.(?:md|tsx?|mjs|sh|css|html|py|go|proto|service)$/.test(file)) return true;
  if (file.startsWith('test/')) return false;
  return file.endsWith('.asl.json') || /\.(?:ya?ml|tf|j2)$/.test(file) || /(?:^|\/)[\w-]+$/.test(file);
}

const rows = glossaryRows(readFileSync(glossaryFile, 'utf8'));
const matcher = matcherOf(rows);
const paths = process.argv.slice(2).filter((word) => word !== '--count');
const files = execFileSync('git', ['ls-files', ...paths], { encoding: 'utf8' }).split('\n');
const hits = [];
for (const file of files.filter(isRead)) {
  const source = readFileSync(file, 'utf8');
  for (const { at, text } of textsOf(file, source)) {
    const plain = text.replace(/^[ \t]*(?:\*|\/\/|#|>)/gm, (mark) => ' '.repeat(mark.length));
    for (const match of plain.matchAll(matcher)) {
      const row = Object.entries(match.groups).find(([, word]) => word !== undefined)?.[0];
      if (row === undefined) continue;
      const line = source.slice(0, at + match.index).split('\n').length;
      hits.push({ file, line, word: match[0].replace(/\s+/g, ' '), use: rows[Number(row.slice(3))].use });
    }
  }
  for (const at of file.endsWith('.md') ? [] : commentsWithoutSubject(source)) {
    const line = source.slice(0, at).split('\n').length;
    hits.push({ file, line, word: 'Of', use: 'a subject: whose?' });
  }
  for (const { at, word } of file.startsWith('test/') ? wordsWithoutSubject(source) : []) {
    const line = source.slice(0, at).split('\n').length;
    hits.push({ file, line, word, use: 'a subject before it: a title is read without its describe' });
  }
}

if (process.argv.includes('--count')) {
  const counts = new Map();
  for (const { file } of hits) counts.set(file.split('/')[0], (counts.get(file.split('/')[0]) ?? 0) + 1);
  for (const [folder, count] of [...counts].sort((a, b) => b[1] - a[1]))
    console.log(`${String(count).padStart(6)}  ${folder}`);
} else for (const { file, line, word, use } of hits) console.error(`${file}:${line}: ${word} -> use ${use}`);
console.log(`${hits.length} words to replace: see the glossary of ${glossaryFile}`);
process.exitCode = hits.length > 0 ? 1 : 0;
