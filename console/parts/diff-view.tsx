/** Two documents, line by line: what is gone, what is new, and what is around it. */
import { type PatchLine, patchLines } from '../model/patch-lines.ts';
import '../styles/diff.css';

const words: Readonly<Record<PatchLine['mark'], string>> = { '+': 'added', '-': 'removed', ' ': '', '@': '' };
const classes: Readonly<Record<PatchLine['mark'], string>> = { '+': 'added', '-': 'removed', ' ': '', '@': 'skipped' };

export function DiffView({ patch, title }: { readonly patch: string; readonly title: string }) {
  const lines = patchLines(patch);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="scroll diff" tabIndex={0} aria-label={title}>
      <table>
        <thead className="hidden">
          <tr>
            <th scope="col">Line before</th>
            <th scope="col">Line after</th>
            <th scope="col">Change</th>
            <th scope="col">Text</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={`${line.mark} ${line.before} ${line.after} ${line.text}`} className={classes[line.mark]}>
              <td className="number">{line.before}</td>
              <td className="number">{line.after}</td>
              <td className="sign-column">
                <span aria-hidden="true">{line.mark === '@' ? '⋯' : line.mark}</span>
                <span className="hidden">{words[line.mark]}</span>
              </td>
              <td>
                <code>{line.text}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
