/** One of several, or all. */

interface ChoiceProps {
  readonly title: string;
  /** Undefined while no one knows. */
  readonly of: readonly string[] | undefined;
  /** Empty: all. */
  readonly value: string;
  readonly choose: (value: string) => void;
}

/** Nothing, where there is nothing to choose from. */
export function Choice({ title, of = [], value, choose }: ChoiceProps) {
  const all = [...new Set([...of, value])].filter(Boolean).sort();
  if (all.length < 2 && value === '') return null;
  return (
    <label>
      {title}{' '}
      <select value={value} onChange={(event) => choose(event.target.value)}>
        <option value="">all</option>
        {all.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
