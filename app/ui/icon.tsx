/** Marks of the controls, drawn on a 16 px grid in the ink of the text around them. */
const PATHS = {
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z",
  forward: "M3 2.8v10.4l7-5.2zM11 2.8h2v10.4h-2z",
  back: "M13 2.8v10.4l-7-5.2zM3 2.8h2v10.4H3z",
  close: "M4.3 3.2 8 6.9l3.7-3.7 1.1 1.1L9.1 8l3.7 3.7-1.1 1.1L8 9.1l-3.7 3.7-1.1-1.1L6.9 8 3.2 4.3z",
  auto: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 1.6v8.8a4.4 4.4 0 0 1 0-8.8z",
  light:
    "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM7.3 1h1.4v2.4H7.3zM7.3 12.6h1.4V15H7.3zM1 7.3h2.4v1.4H1zM12.6 7.3H15v1.4h-2.4zM2.6 3.6l1-1 1.7 1.7-1 1zM10.7 11.7l1-1 1.7 1.7-1 1zM10.7 4.3l1.7-1.7 1 1-1.7 1.7zM2.6 12.4l1.7-1.7 1 1-1.7 1.7z",
  dark: "M6.2 2.2A6 6 0 1 0 13.8 9.8 5 5 0 0 1 6.2 2.2z",
  taller: "M8 2.6l4.6 4.6-1.1 1.1L8 4.8 4.5 8.3 3.4 7.2zM3 10h10v1.5H3z",
  present: "M2 3h12v8.5H9.2l1.6 2H5.2l1.6-2H2zm1.5 1.5V10h9V4.5z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg width={`${size / 16}rem`} height={`${size / 16}rem`} viewBox="0 0 16 16" aria-hidden focusable="false">
      <path d={PATHS[name]} fill="currentColor" fillRule="evenodd" />
    </svg>
  );
}
