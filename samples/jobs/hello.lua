-- Runs every 5 seconds. Edit me, publish, and watch the next run use the new text.
gw.log("hello from Lua, the parameter is '" .. gw.param() .. "'")
local sum = 0
for i = 1, 1000 do sum = sum + i end
gw.result("the numbers from 1 to 1000 add up to " .. sum)
