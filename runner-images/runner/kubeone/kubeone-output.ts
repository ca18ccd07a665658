/**
 * The parts of what KubeOne prints when it fails. Its log comes first, a line each; then `Error: ` and its causes from the outermost to the
 * innermost, a line each; where a command failed on a machine, the whole script follows, then `stderr: ` and what the script printed: the
 * trace of `set -x`, and the cause last. kubeadm adds its log and the stack of Go. The script is never read: it has all words.
 */

/** What failed on one machine, or without one. */
export interface KubeOneFault {
  /** Public address of the machine. */
  readonly address?: string;
  /** What KubeOne did: "installing prerequisites". */
  readonly step: string;
  /** What the failed command printed, else the innermost words of KubeOne. */
  readonly printed: readonly string[];
  /** The lines of it that say what failed. */
  readonly cause: readonly string[];
  /** KubeOne's own words around it. */
  readonly around: readonly string[];
  /** The cause is the machine's. */
  readonly ofMachine: boolean;
}

/** Lines of a cause: a refusal lists all that is wrong. */
const mostLines = 6;
/** Lines after the last command that are judged. */
const mostJudged = 60;

/**
 * The faults of its last words: one, or one a machine where several work side by side. One that was ended has none: then those of its last try.
 * Empty where it has neither.
 */
export function kubeoneFaults(output: string): readonly KubeOneFault[] {
  const lines = output.split('\n');
  // The log has no line that begins so; what machines print comes after it.
  const at = lines.findIndex((line) => line.startsWith('Error: '));
  const words = at < 0 ? lastTry(lines) : lines.slice(at).join('\n').slice('Error: '.length);
  if (words === undefined) return [];
  const [outer = '', ...machines] = words.split(/(?:(?<=\n)\[?|, )(?=runtime: running task on ")/);
  if (machines.length < 2) return [faultOf(machines[0] ?? outer, machines.length > 0 ? outer : '')];
  // Go prints several errors as a list in brackets.
  return machines.map((text) => faultOf(text.replace(/\]\n?$/, ''), outer));
}

/** The last that failed of the ten tries of a task: a line of the log, in which ends of lines and quotes are escaped. */
function lastTry(lines: readonly string[]): string | undefined {
  const [, words] =
    /msg="Task [^"\\]{1,100} failed, error was: ((?:[^"\\]|\\.){1,200000})"/.exec(
      lines.findLast((line) => / failed, error was: /.test(line)) ?? '',
    ) ?? [];
  return words?.replaceAll(/\\(.)/g, (_, sign: string) => ({ n: '\n', t: '\t' })[sign] ?? sign);
}

function faultOf(text: string, outer: string): KubeOneFault {
  const lines = text.split('\n');
  const stderrAt = lines.findIndex((line) => line.startsWith('stderr: '));
  const exitAt = lines.findIndex((line) => ended.test(line));
  // Without words of the command all that follows its end is the script.
  const headEnd = [exitAt + 1, stderrAt].find((index) => index > 0) ?? lines.length;
  const around = [...outer.split('\n'), ...lines.slice(0, headEnd)].map((line) => line.trim()).filter(Boolean);
  const printed =
    stderrAt < 0 ? [] : wordsOf([lines[stderrAt]?.slice('stderr: '.length) ?? '', ...lines.slice(stderrAt + 1)]);
  const own = around.filter((line) => !step.test(line)).slice(-mostLines);
  const address = /^runtime: running task on "([\w.:-]{1,253})"/m.exec(text)?.[1];
  return {
    ...(address !== undefined && { address }),
    step: stepOf(around),
    printed: printed.length > 0 ? printed : own,
    cause: printed.length > 0 ? sayingWhy(printed) : own,
    around,
    ofMachine: printed.length > 0,
  };
}

/** How SSH reports the end of a command. */
const ended = /^(?:Process exited with status \d|wait: remote command exited)/;
const step =
  /^(?:runtime|ssh|exec|etcd|kubernetes): [^:]+$|^runtime: running task on |^configuration [\w -]+$|^connection to: /;
const withoutMeaning = /^(?:ssh: (?:exec|popen)|runtime: running task on ".*"?)$/;

function stepOf(around: readonly string[]): string {
  const steps = around.filter(
    (line) => step.test(line) && !withoutMeaning.test(line) && !line.startsWith('connection to'),
  );
  return (steps.at(-1) ?? '').replace(/^(?:runtime|ssh|exec|etcd|kubernetes): |^configuration /, '');
}

/** What the last command printed; where it printed nothing, what all of them did. */
function wordsOf(stderr: readonly string[]): readonly string[] {
  const last = stderr.findLastIndex((line) => trace.test(line));
  const tail = spoken(stderr.slice(last + 1));
  return tail.length > 0 ? tail : spoken(stderr);
}

const trace = /^\++ /;
/** The log and the stack of Go: `I1127 06:39:52.35 …`, `main.main`, a tab and a file with its line. */
const goLog = /^[IW]\d{4} \d\d:\d\d:\d\d/;
const goFunction = /^(?:[\w.-]{1,100}\/){0,20}[\w.-]{1,100}\.(?:[\w.]{1,200}|\(\*\w{1,100}\)[\w.]{1,200})$/;
const goPlace = /^\t\S+\.(?:go|s):\d+$/;
/** What kubeadm always adds. */
const advice = /^\[preflight\] (?:If you know|Some fatal)|^To see the stack trace|--v=5 or higher/;

function spoken(lines: readonly string[]): readonly string[] {
  return lines
    .filter((line) => !trace.test(line) && !goLog.test(line) && !goFunction.test(line) && !goPlace.test(line))
    .filter((line) => !/^\s*\[WARNING /.test(line) && !advice.test(line) && line.trim() !== '')
    .map((line) => line.trim())
    .slice(-mostJudged);
}

/** Lines that the tools themselves mark as errors, and those that continue one. */
const marked =
  /^(?:E|W|Error|error|fatal|FATAL|ERROR|dpkg|sudo|curl|mv|cp|tar|tee|mkdir|modprobe|sysctl|bash|sh|systemctl)\b.{0,80}:|\[ERROR |FATAL|^Killed$|^E\d{4} |^Failed to|^Job for|^- /;
/** kubeadm says with it only that there were some. */
const summary = /preflight checks failed$/;

/** All of a few lines, of many those that are marked; the last ones. */
function sayingWhy(lines: readonly string[]): readonly string[] {
  const said = lines.filter((line) => !summary.test(line));
  const found = said.filter((line) => marked.test(line));
  return (found.length > 0 && said.length > mostLines ? found : said.length > 0 ? said : lines).slice(-mostLines);
}
