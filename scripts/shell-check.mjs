/**
 * shellcheck on every shell file. Files with a shebang are programs; all others are parts, and are checked in each program that they are sent or
 * sourced in: scripts of nodes as playbooks, checks for drift and renewals put them together, the parts of kubeloom-host as it sources them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { controlNodeFiles } from '../runner-images/runner/kubernetes/control-node-scripts.ts';
import { filesOf, protocol } from '../runner-images/runner/machines/machine-script.ts';

const ansible = 'templates/ansible';
/** What is reported only if it is found in all programs with that part: a function or a variable that one of them has no use for. */
const unused = new Set([2034, 2317]);

const tracked = spawnSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1e8 })
  .stdout.split('\0')
  .filter(Boolean);
const isProgram = (file) => /^#!.*\b(ba|da)?sh\b/.test(readFileSync(file, { encoding: 'utf8' }).slice(0, 60));
const programs = tracked
  .filter((file) => /(^|\/)[^.]+$|\.sh$/.test(file))
  .filter(isProgram)
  .map((file) => (file === 'local/hosts/kubeloom-host' ? [...partsOfTheHelper(), ...linesOf(file)] : linesOf(file)));
const sent = readdirSync(ansible)
  .filter((file) => file.endsWith('.yml'))
  .flatMap((file) => parse(readFileSync(join(ansible, file), 'utf8')))
  .flatMap(({ vars = {}, tasks }) => tasks.flatMap(tasksOf).map((task) => ({ script: task.node_script?.script, vars })))
  .filter(({ script }) => script !== undefined)
  .map(({ script, vars }) => linesOfText(script, vars));
const asked = Object.values({ ...filesOf, ...controlNodeFiles }).map((names) =>
  [protocol, ...names].flatMap((name) => linesOf(join(ansible, 'files', name))),
);
const all = [...programs, ...sent, ...asked];

const checked = new Set(all.flat().map(({ file }) => file));
const forgotten = tracked.filter((file) => file.endsWith('.sh') && !checked.has(file));
for (const file of forgotten)
  console.error(`${file}: no program is known that it is a part of: see scripts/shell-check.mjs`);

const findings = check(all);
for (const finding of findings) console.error(finding);
console.log(`${all.length} shell programs of ${checked.size} files: ${findings.length} findings`);
process.exitCode = findings.length + forgotten.length > 0 ? 1 : 0;

/** Those of a block, too. */
function tasksOf(task) {
  return task.block === undefined ? [task] : [...task.block, ...(task.always ?? [])].flatMap(tasksOf);
}

function partsOfTheHelper() {
  return readdirSync('local/hosts/lib').flatMap((part) => linesOf(join('local/hosts/lib', part)));
}

/** Each line with where it is from. */
function linesOf(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ text, file, line: index + 1 }));
}

/** A script of a playbook: files that it looks up are put in, each other expression is some word. */
function linesOfText(text, vars) {
  return text.split('\n').flatMap((line) => {
    const [, kind, name] = /^\s*\{\{ lookup\('(file|template)', '([^']+)'\)[^|]*\}\}$/.exec(line) ?? [];
    if (kind === 'file') return linesOf(join(ansible, 'files', name));
    if (kind === 'template') return linesOfText(readFileSync(join(ansible, 'templates', name), 'utf8'), vars);
    const variable = vars[/^\s*\{\{ (\w+) \}\}$/.exec(line)?.[1]];
    if (variable !== undefined) return linesOfText(variable, vars);
    return [
      {
        text: line.replace(/\{[{%#].*?[#%}]\}/g, (part) => (part.startsWith('{{') ? 'word' : '')),
        file: ansible,
        line: 0,
      },
    ];
  });
}

function check(several) {
  const directory = mkdtempSync(join(tmpdir(), 'shell-check-'));
  try {
    const files = several.map((lines, index) => {
      const path = join(directory, String(index));
      writeFileSync(path, lines.map(({ text }) => text).join('\n'));
      return path;
    });
    const { stdout, error } = spawnSync('shellcheck', ['--shell=bash', '--format=json1', ...files], {
      encoding: 'utf8',
      maxBuffer: 1e8,
    });
    if (error !== undefined) throw error;
    return reported(several, files, JSON.parse(stdout).comments);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** One line a finding, however many programs have it. */
function reported(several, files, comments) {
  const times = new Map();
  for (const { file, line, code, message } of comments) {
    const at = several[files.indexOf(file)][line - 1];
    const text = `${at.file}:${at.line}: ${message} [SC${code}]`;
    times.set(text, { ...at, code, count: (times.get(text)?.count ?? 0) + 1 });
  }
  const holding = (file) => several.filter((lines) => lines.some((line) => line.file === file)).length;
  return [...times]
    .filter(([, { file, code, count }]) => !unused.has(code) || count >= holding(file))
    .map(([text]) => text);
}
