/** Two sockets and the cord between them. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="3.5" cy="4" r="2" />
      <circle cx="12.5" cy="12" r="2" />
      <path d="M5.5 4h3a2.5 2.5 0 0 1 2.5 2.5v.5" />
      <path d="M10.5 12h-3A2.5 2.5 0 0 1 5 9.5V9" />
    </svg>
  )
}
