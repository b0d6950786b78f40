/** Uses the pile or station of a kind that is nearest, and tries others where one has nothing left. */
async function useNearest(bot, block, times) {
  for (let done = 0, failures = 0; done < times; ) {
    try {
      console.log(await useBlock(bot, block))
      done++
    } catch (error) {
      if (++failures > 3) throw error
      await bot.waitForTicks(10)
    }
  }
}

