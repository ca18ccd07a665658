/** How far something is, as a bar and as a number. */
export function Bar({ percent }: { readonly percent: number }) {
  return (
    <span className="progress">
      <progress value={percent} max={100} aria-label="Progress" />
      <span className="percent">{percent} %</span>
    </span>
  );
}
