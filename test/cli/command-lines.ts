/** Command lines of Kubeloom that texts and programs mention, and what the real command line says to them. */
import { type Command, CommanderError } from 'commander';
import { kubeloomProgram } from '#cli/program.ts';
import { parseWords } from './parse-words.ts';

export interface CommandLine {
  readonly place: string;
  readonly text: string;
  /** In running text a command may be named without its arguments. */
  readonly mention: boolean;
}

const known = await kubeloomProgram();

/** Lines of code blocks, and code in the middle of a sentence. */
export function linesInMarkdown(file: string, text: string): CommandLine[] {
  const found: CommandLine[] = [];
  let fenced = false;
  let open: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const place = `${file}:${index + 1}`;
    if (/^\s*```/.test(line)) {
      fenced = !fenced;
      continue;
    }
    if (!fenced) {
      const spans = [...line.matchAll(/`(?:npx )?(kubeloom [^`]+)`/g)];
      found.push(...spans.map((match) => ({ place, text: match[1] ?? '', mention: true })));
      continue;
    }
    const begins = open ?? /^ {0,2}(?:\$ )?(?:[A-Z_]+=\S* )*(?:npx )?(kubeloom [a-z-].*)$/.exec(line)?.[1];
    const whole = open === undefined ? begins : `${open} ${line.trim()}`;
    open = whole?.endsWith('\\') ? whole.slice(0, -1).trimEnd() : undefined;
    if (whole !== undefined && open === undefined) found.push({ place, text: whole, mention: false });
  }
  return found;
}

/** What string literals and comments between backticks say. Values that are filled in become `VALUE`. */
export function linesInCode(file: string, text: string): CommandLine[] {
  return text.split('\n').flatMap((line, index): CommandLine[] => {
    if (/^\s*(\*|\/\*|\/\/)/.test(line)) return [];
    const filled = line.replaceAll(/\$\{[^}]*\}/g, 'VALUE');
    return [...filled.matchAll(/(\\?`)?(?<!group |BEGIN |END )\b(kubeloom [a-z][^`'"\\]*)(\\?`)?/g)].map(
      ([, before, command = '', after]) => {
        const quoted = before !== undefined && after !== undefined && before === after;
        return { place: `${file}:${index + 1}`, text: quoted ? command : (named(command) ?? command), mention: true };
      },
    );
  });
}

/** Outside of backticks nothing shows where a command ends: its words alone. */
function named(text: string): string | undefined {
  const path = ['kubeloom'];
  let command: Command | undefined = known;
  for (const word of text.split(/[\s,;:.)]+/).slice(1)) {
    command = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (command === undefined) break;
    path.push(word);
  }
  return path.length > 1 ? path.join(' ') : undefined;
}

/** What the command line objects to, without doing anything; undefined when it accepts the line. */
export async function objectionTo({ text, mention }: CommandLine): Promise<string | undefined> {
  const [first = '', ...others] = (text.split(/\s{3,}|\s+[#<>]\s|\s+#|\s+>|\s&&?(?:\s|$)|;(?:\s|$)/)[0] ?? '').split(
    ' | ',
  );
  let before = wordsOf(first).slice(1);
  const objections = [await objectionToWords(before, mention)];
  for (const other of others) {
    const words = wordsOf(other);
    // `get | runs NAME`, `secrets list | delete NAME`; all other words after a pipe are programs.
    const sibling = [...before.slice(0, -1).filter((word) => isGroup(word)), ...words];
    const found = commandAt(words) ?? commandAt(sibling);
    if (found === undefined) break;
    before = commandAt(words) ? words : sibling;
    objections.push(await objectionToWords(before, mention));
  }
  return objections.find((objection) => objection !== undefined);
}

/** Brackets say that something may be left out. */
const wordsOf = (text: string): string[] =>
  [...text.replaceAll(/[[\]]/g, '').matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) =>
    word.replaceAll(/^["']|["']$/g, ''),
  );

const isGroup = (word: string): boolean =>
  known.commands.some((child) => child.name() === word && child.commands.length > 0);

function commandAt(words: readonly string[]): Command | undefined {
  let at: Command = known;
  for (const word of words) {
    const next: Command | undefined = at.commands.find(
      (child) => child.name() === word || child.aliases().includes(word),
    );
    if (next === undefined) break;
    at = next;
  }
  return at.parent === null ? undefined : at;
}

const incomplete = ['commander.missingArgument', 'commander.missingMandatoryOptionValue', 'commander.help'];

async function objectionToWords(words: readonly string[], mention: boolean): Promise<string | undefined> {
  try {
    await parseWords(words);
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    const bare = words.every((word) => /^[a-z-]+$/.test(word));
    const named = mention && bare && error instanceof CommanderError && incomplete.includes(error.code);
    return named && commandAt(words) ? undefined : error instanceof Error ? error.message : String(error);
  }
}
