/** What modules say of themselves: why something that a linter finds stays as it is. */
import type { Acknowledgement } from './judge.ts';

export const unusedVariable = 'terraform_unused_declarations';

/** `files`: file, relative to the modules → text. */
export function readAcknowledgements(files: Readonly<Record<string, string>>): readonly Acknowledgement[] {
  return Object.entries(files).flatMap(([file, text]) => [...skipsOf(file, text), ...unusedOf(file, text)]);
}

const blockHead = /^(?:resource|data) "(?<type>[^"]+)" "(?<name>[^"]+)"/;
const skip = /(?:#|\/\/)\s*checkov:skip=(?<rule>[^:\s]+)(?::(?<reason>.*))?$/;

/** Comments in the form that checkov knows. A comment outside of a resource acknowledges nothing. */
function skipsOf(file: string, text: string): readonly Acknowledgement[] {
  let subject = 'no resource';
  return text.split('\n').flatMap((line) => {
    const head = blockHead.exec(line)?.groups;
    if (head) subject = `${head.type}.${head.name}`;
    if (line.startsWith('}')) subject = 'no resource';
    const found = skip.exec(line)?.groups;
    return found ? [{ rule: found.rule ?? '', file, subject, reason: (found.reason ?? '').trim() }] : [];
  });
}

const variable = /^variable "(?<name>\w+)" \{\s*description = "(?<text>(?:[^"\\]|\\.)*)"/gm;
const notUsed = /(?:^|\. )Not used(?:: |, )(?<reason>.*)$/;

/** All variables of the contract are there; the description of one that a type has no use for says so, and why. */
function unusedOf(file: string, text: string): readonly Acknowledgement[] {
  return [...text.matchAll(variable)].flatMap(({ groups }) => {
    const reason = notUsed.exec(groups?.text ?? '')?.groups?.reason;
    return reason === undefined ? [] : [{ rule: unusedVariable, file, subject: `var.${groups?.name}`, reason }];
  });
}
