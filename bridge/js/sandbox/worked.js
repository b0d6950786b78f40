/** How long this thread has worked, in ms of the processor. */
export function workedMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
