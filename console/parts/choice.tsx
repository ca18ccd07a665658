/** One of several. */

interface ChoiceProps {
  readonly title: string;
  /** Undefined while no one knows. */
  readonly of: readonly string[] | undefined;
  /** Empty: all. */
  readonly value: string;
  readonly choose: (value: string) => void;
}

/** One of several, or all. Nothing, where there is nothing to choose from. */
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

interface TitledChoiceProps extends Omit<ChoiceProps, 'of'> {
  /** Values and their titles. */
  readonly of: Readonly<Record<string, string>>;
}

/** One of a few, all of which have titles. */
export function TitledChoice({ title, of, value, choose }: TitledChoiceProps) {
  return (
    <label>
      {title}{' '}
      <select value={value} onChange={(event) => choose(event.target.value)}>
        {Object.entries(of).map(([one, itsTitle]) => (
          <option key={one} value={one}>
            {itsTitle}
          </option>
        ))}
      </select>
    </label>
  );
}
