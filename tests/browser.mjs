/**
 * A Chromium for tests on Linux, out of an npm package: prints where it is, with its libraries.
 * It brings those that a bare machine lacks where it believes itself there (see its README).
 */
process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x'
const { default: chromium } = await import('@sparticuz/chromium')
const path = await chromium.executablePath()
console.log(JSON.stringify({ path, libraries: process.env.LD_LIBRARY_PATH }))
